import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { describeInstalled, Installed, test } from './installed.ts'

const laid_down = fileURLToPath(new URL('../../../systemd', import.meta.url))

describeInstalled('under systemd, other setups', () => {
  test('a dynamic user by the steps of docs/operating.md, there and back', async ({
    lab,
    sluice,
  }) => {
    const [there, back] = stepsOf('Without a user of its own')
    const ownerOf = async (state: string) => {
      const { MainPID } = await lab.show('sluice', 'MainPID')
      return lab.sh(`stat -c '%U %a' /proc/${MainPID} ${state} ${state}/ledger.db`)
    }
    let puts = 0
    const unlisten = sluice.service.on('begin', ({ place }) => void (place === 'put' && puts++))
    onTestFinished(unlisten)
    // Only a group may read it, which the drop-in names.
    await lab.sh('groupadd --force papers && chgrp papers /srv/docs && chmod 2750 /srv/docs')
    sluice.write({ 'a.txt': 'one' })
    await lab.sh('cd / && sluice install')
    await sluice.start()
    await sluice.untilStatus('1 ready')

    await lab.sh(there!)
    sluice.write({ 'b.txt': 'two' })
    await sluice.untilStatus('2 ready')
    expect(await ownerOf('/var/lib/private/sluice')).toBe(
      'sluice-dynamic 555\nsluice-dynamic 700\nsluice-dynamic 600\n',
    )
    expect(await lab.sh('cd / && sluice pause')).not.toBe('')
    await sluice.untilStatus('paused; 2 ready')
    expect(await lab.sh('cd / && sluice resume && sluice status')).toContain('all ready: 2 files')
    expect((await lab.systemctl('reload', 'sluice')).code, await sluice.tail()).toBe(0)

    await lab.sh(back!)
    sluice.write({ 'c.txt': 'three' })
    await sluice.untilStatus('3 ready')
    expect(await ownerOf('/var/lib/sluice')).toBe('sluice 555\nsluice 700\nsluice 600\n')
    expect(puts).toBe(3)

    await lab.sh(there!)
    await sluice.untilStatus('3 ready')
    const gone = await lab.sh('cd / && sluice uninstall --purge')
    expect(gone).toContain(
      'left     /etc/systemd/system/sluice.service.d/20-dynamic-user.conf  (yours to remove)',
    )
    expect(await lab.sh('ls -d /var/lib/sluice /var/lib/private/sluice 2>&1 || true')).not.toMatch(
      /^\//m,
    )
    await Installed.layDown(lab)
  })

  test('install refuses a masked unit, and installs it after it is unmasked', async ({ lab }) => {
    await lab.sh('rm /etc/systemd/system/sluice.service && systemctl mask sluice.service')
    const refused = await lab.run('bash', '-c', 'cd / && sluice install')
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('sluice.service is masked')
    const [cure] = /systemctl unmask sluice\.service/.exec(refused.err)!
    expect((await lab.systemctl('is-enabled', 'sluice')).out).toBe('masked\n')
    await lab.sh(`${cure} && cd / && sluice install && systemctl start sluice`)
  })

  test('uninstall leaves no failed unit behind', async ({ lab, sluice }) => {
    await lab.sh('cd / && sluice install')
    sluice.revokeToken()
    expect((await lab.systemctl('start', 'sluice')).code).not.toBe(0)
    expect((await lab.systemctl('is-failed', 'sluice')).out).toBe('failed\n')
    expect(await lab.sh('cd / && sluice uninstall')).toContain(
      'run      systemctl reset-failed sluice.service\n',
    )
    expect(
      (await lab.systemctl('list-units', '--failed', '--plain', '--legend=no')).out,
    ).not.toContain('sluice')
    expect(await lab.sh('cd / && sluice uninstall')).not.toContain('reset-failed')
    await Installed.layDown(lab)
  })

  test('an instance for each configuration, each with its own token and state', async ({
    lab,
    sluice,
  }) => {
    lab.copyIn(`${laid_down}/sluice@.service`, '/etc/systemd/system/sluice@.service')
    for (const name of ['finance', 'law']) {
      await lab.sh(`mkdir -p /srv/${name} && echo ${name} > /srv/${name}/a.txt`)
      sluice.configure({ folders: [{ name, path: `/srv/${name}`, settle_ms: '50ms' }] })
      await lab.sh(
        `mv /etc/sluice/sluice.yaml /etc/sluice/${name}.yaml && cp /etc/sluice/token /etc/sluice/${name}.token`,
      )
    }
    const { code, err } = await lab.systemctl('start', 'sluice@finance', 'sluice@law')
    expect(code, err).toBe(0)
    for (const name of ['finance', 'law']) {
      const status = async () => (await lab.show(`sluice@${name}`, 'StatusText')).StatusText
      await lab.until(`${name} is in`, async () => (await status()) === '1 ready', status)
      expect(await lab.sh(`stat -c '%U %a' /var/lib/sluice-${name}`)).toBe('sluice 700\n')
    }
    expect(sluice.readyAssets()).toBe(2)
    await lab.systemctl('stop', 'sluice@finance', 'sluice@law')
  })
})

/** The commands below a heading of docs/operating.md. */
function stepsOf(heading: string): string[] {
  const page = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8')
  const section = page.slice(page.indexOf(`\n## ${heading}\n`)).split('\n## ')[1]!
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, steps]) => steps!)
}
