import { expect } from 'vitest'
import { describeInstalled, type Installed, test } from './installed.ts'
import type { Lab } from './lab.ts'

const docs = { name: 'docs', path: '/srv/docs', settle_ms: '50ms' }
const more = { name: 'more', path: '/srv/more', settle_ms: '50ms' }
const live_token = '/etc/sluice/live-token'

/** Installs with a drop-in made from the configuration, as `sluice install` does. */
async function installAnew(lab: Lab): Promise<string> {
  return lab.sh('cd / && sluice install')
}

async function foldersInForce(lab: Lab): Promise<string[]> {
  const status = JSON.parse((await lab.run('sluice', 'status', '--json')).out) as {
    folders: { name: string }[]
  }
  return status.folders.map(({ name }) => name)
}

async function says(lab: Lab, sluice: Installed, words: string): Promise<void> {
  await lab.until(
    `the log has ${words}`,
    async () => (await sluice.log()).includes(words),
    () => sluice.tail(),
  )
}

describeInstalled('a reload under systemd', () => {
  test('ends when systemctl ends, and fails if the configuration is invalid; the old one stays in force', async ({
    lab,
    sluice,
  }) => {
    sluice.write({ 'a.txt': 'one' })
    await lab.sh('rm -rf /srv/more && mkdir -p /srv/more && echo two > /srv/more/b.txt')
    await sluice.start()
    await sluice.untilStatus('1 ready')
    await says(
      lab,
      sluice,
      '10-config.conf does not exist, so the unit knows neither folders nor reports',
    )
    const before = await lab.show('sluice', 'MainPID')
    sluice.configure({ folders: [docs, more] })
    const taken = await lab.systemctl('reload', 'sluice')
    // No wait is needed: it is already so.
    expect(await foldersInForce(lab)).toEqual(['docs', 'more'])
    expect(taken, await sluice.tail()).toMatchObject({ code: 0, err: '' })
    await sluice.untilStatus('2 ready')

    const faulty = { folders: [docs, { ...more, path: '/srv/docs/inside', surprise: true }] }
    sluice.configure(faulty)
    const refused = await lab.systemctl('reload', 'sluice')
    expect(refused.code, refused.err).not.toBe(0)
    expect(refused.err).toContain('Job for sluice.service failed')
    expect((await lab.show('sluice', 'ExecReload')).ExecReload).toContain('code=exited ; status=78')
    await says(lab, sluice, 'not reloaded (process')
    const errors = (await lab.journal('sluice'))
      .filter(({ priority }) => priority === 3)
      .map(({ text }) => text)
    expect(errors.some((text) => text.includes('surprise'))).toBe(true)
    expect(errors.some((text) => text.includes('the earlier configuration stays in force'))).toBe(
      true,
    )

    // The file is not even YAML, so it names no folder, and is refused all the same.
    lab.write('/etc/sluice/sluice.yaml', 'folders: [')
    expect((await lab.systemctl('reload', 'sluice')).code).not.toBe(0)
    await says(lab, sluice, '/etc/sluice/sluice.yaml:1')

    await lab.sh('echo three > /srv/more/c.txt')
    await sluice.untilStatus('3 ready')
    expect(await lab.show('sluice', 'MainPID')).toEqual(before)
    expect(await sluice.state()).toMatchObject({
      ActiveState: 'active',
      SubState: 'running',
      NRestarts: '0',
    })
  })

  test('works by SIGHUP, too', async ({ lab, sluice }) => {
    await lab.sh('mkdir -p /srv/more')
    await sluice.start()
    sluice.configure({ folders: [docs, more] })
    await lab.sh('systemctl kill --kill-who=main --signal=HUP sluice')
    await says(lab, sluice, 'reloaded: 1 folder added')
    // The daemon logs the reload a moment before it notifies systemd.
    await lab.until('it is at work again', async () => {
      const { ActiveState, SubState } = await sluice.state()
      return ActiveState === 'active' && SubState === 'running'
    })
    expect((await sluice.state()).NRestarts).toBe('0')
  })

  test('reports the rights that the unit lacks for the new configuration, until the unit has them', async ({
    lab,
    sluice,
  }) => {
    await lab.sh('mkdir -p /srv/more')
    await installAnew(lab)
    await sluice.start()
    expect((await lab.run('sluice', 'reload')).err).toBe('')
    sluice.configure({ folders: [docs, more] })
    const warning =
      'the unit does not know the folder /srv/more: run `sluice install` and restart the service'
    expect(await lab.run('sluice', 'reload')).toMatchObject({
      code: 0,
      err: `warning: ${warning}\n`,
    })
    await says(lab, sluice, warning)
    const warned = async () =>
      (await lab.journal('sluice')).filter(
        ({ text, priority }) => priority === 4 && text.includes(warning),
      ).length
    expect(await warned()).toBe(1)
    await lab.sh('systemctl kill --kill-who=main --signal=HUP sluice')
    await lab.until('said once more', async () => (await warned()) === 2)
    expect((await lab.systemctl('reload', 'sluice')).code).toBe(0)
    expect(await warned()).toBe(3)

    // The drop-in is installed, but the running process was started by the old unit.
    expect(await installAnew(lab)).toMatch(/^change .*10-config\.conf$/m)
    expect((await lab.run('sluice', 'reload')).err).toContain(warning)
    await lab.systemctl('restart', 'sluice')
    expect(await lab.run('sluice', 'reload')).toMatchObject({ code: 0, err: '' })
  })
})

describeInstalled('a token that is replaced', () => {
  test('as a credential, which systemd copies at the start: needs a restart', async ({
    lab,
    sluice,
  }) => {
    sluice.write({ 'a.txt': 'one' })
    await installAnew(lab)
    await sluice.start()
    await sluice.untilStatus('1 ready')
    sluice.revokeToken()
    sluice.giveToken()
    const is_refreshing =
      Number(/^systemd (\d+)/.exec((await lab.systemctl('--version')).out)?.[1]) >= 260
    expect((await lab.systemctl('reload', 'sluice')).code).toBe(0)
    sluice.write({ 'b.txt': 'two' })
    if (!is_refreshing) {
      await sluice.untilStatus(/^token refused: .*; 1 ready, 1 on the way$/)
      const began = performance.now()
      const { code, err } = await lab.systemctl('restart', 'sluice')
      expect(code, err + (await sluice.tail())).toBe(0)
      console.info(`a restart for a new token took ${Math.round(performance.now() - began)} ms`)
    }
    await sluice.untilStatus('2 ready')
  })

  test('in a file of the service’s user: needs a reload, or is loaded when the old token is refused', async ({
    lab,
    sluice,
  }) => {
    const replaceLiveToken = () =>
      lab.sh(`install -o sluice -g sluice -m 600 /etc/sluice/token ${live_token}`)
    sluice.write({ 'a.txt': 'one' })
    await replaceLiveToken()
    await lab.sh('rm /etc/sluice/token')
    sluice.configure({ service: { token_file: live_token } })
    await installAnew(lab)
    expect(await lab.sh('ls /etc/sluice')).not.toMatch(/^token$/m)
    await sluice.start()
    await sluice.untilStatus('1 ready')
    const before = await lab.show('sluice', 'MainPID')

    sluice.giveToken()
    await replaceLiveToken()
    expect((await lab.systemctl('reload', 'sluice')).code).toBe(0)
    await says(lab, sluice, 'reloaded: token changed')
    sluice.write({ 'b.txt': 'two' })
    await sluice.untilStatus('2 ready')

    sluice.revokeToken()
    sluice.giveToken()
    await replaceLiveToken()
    sluice.write({ 'c.txt': 'three' })
    await sluice.untilStatus('3 ready')
    expect(await lab.show('sluice', 'MainPID')).toEqual(before)
    expect(await sluice.log()).not.toMatch(/pat_\w{32}/)
    await lab.sh(`rm ${live_token}`)
  })
})
