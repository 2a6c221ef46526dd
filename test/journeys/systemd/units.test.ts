import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const directory = fileURLToPath(new URL('../../../systemd', import.meta.url))
const read = (name: string) => readFileSync(join(directory, name), 'utf8')
const units = readdirSync(directory).filter((name) => name.endsWith('.service'))
const analyzer = spawnSync('systemd-analyze', ['--version'])
if (analyzer.status !== 0)
  console.warn('the hardening of the units is not measured: systemd-analyze is not installed')

test.skipIf(analyzer.status !== 0).each(units)(
  'systemd-analyze rates the exposure of %s at 2.0 or less',
  (unit) => {
    const words = [
      'security',
      '--offline=true',
      '--no-pager',
      '--threshold=20',
      join(directory, unit),
    ]
    const { stdout, stderr, status } = spawnSync('systemd-analyze', words, { encoding: 'utf8' })
    const exposure = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]
    console.info(`${unit}: exposure ${exposure}`)
    expect(Number(exposure), stdout + stderr).toBeLessThanOrEqual(2)
    expect(status).toBe(0)
  },
)

test('the template equals the service except for its names', () => {
  const lines = (name: string) => {
    const text = read(name)
    return text.slice(text.indexOf('[Unit]')).split('\n')
  }
  const template = lines('sluice@.service').filter((line) => !line.startsWith('#'))
  const service = lines('sluice.service').filter((line) => !line.startsWith('#'))
  const changed = template.filter((line, at) => line !== service[at])
  expect(template).toHaveLength(service.length)
  expect(changed).toEqual([
    "Description=Sluice %i: brings new files into an assistant's project",
    'ExecStart=sluice run --config /etc/sluice/%i.yaml',
    'ExecReload=sluice reload --config /etc/sluice/%i.yaml',
    'StateDirectory=sluice-%i',
    'LoadCredential=token:/etc/sluice/%i.token',
  ])
})

test.each(units)('every setting of %s has its reason', (unit) => {
  const settings = read(unit).slice(
    read(unit).indexOf('[Service]'),
    read(unit).indexOf('[Install]'),
  )
  // A comment applies to the settings below it up to an empty line.
  for (const paragraph of settings.trim().split('\n\n')) {
    const [first, ...others] = paragraph.replace('[Service]\n', '').split('\n')
    expect(first, paragraph).toMatch(/^#/)
    expect(
      others.some((line) => !line.startsWith('#')),
      paragraph,
    ).toBe(true)
  }
})
