import { existsSync, readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bootLab, type Lab, no_lab } from './lab.ts'

describe.skipIf(no_lab)('the systemd of the tests', () => {
  let lab: Lab
  beforeAll(async () => {
    lab = await bootLab()
  })
  afterAll(() => lab?.close())

  test('is a real one, with the built program on its path', async () => {
    expect(await lab.sh('cat /proc/1/comm')).toBe('systemd\n')
    expect(await lab.sh('sluice version')).toMatch(/^\d+\.\d+\.\d+/)
    expect((await lab.systemctl('is-system-running')).out).toMatch(/^(running|degraded)$/m)
  })

  test('runs units, and reports their results and their output', async () => {
    lab.write(
      '/etc/systemd/system/plain.service',
      '[Service]\nType=oneshot\nExecStart=/bin/sh -c "echo hello; exit 7"\n',
    )
    expect((await lab.systemctl('start', 'plain')).code).not.toBe(0)
    expect(await lab.show('plain', 'Result', 'ExecMainStatus')).toEqual({
      Result: 'exit-code',
      ExecMainStatus: '7',
    })
    const entries = await lab.journal('plain')
    expect(entries.map(({ text }) => text)).toContain('hello')
  })

  test('has its own /tmp, which cannot be seen outside', async () => {
    await lab.sh('echo inside > /tmp/sluice-lab-probe; echo inside > /etc/sluice-lab-probe')
    expect(lab.read('/etc/sluice-lab-probe')).toBe('inside\n')
    for (const outside of ['/tmp/sluice-lab-probe', '/etc/sluice-lab-probe'])
      expect(existsSync(outside)).toBe(false)
    expect(
      (await lab.run('touch', '/usr/local/lib/node_modules/sluice/package.json')).err,
    ).toContain('Read-only')
  })

  test('leaves nothing behind', async () => {
    expect(readdirSync(lab.directory)).toEqual([])
    await lab.close()
    expect(existsSync(lab.directory)).toBe(false)
  })
})
