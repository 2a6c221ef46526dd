import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { describeInstalled, test } from './installed.ts'

const laid_down = fileURLToPath(new URL('../../systemd', import.meta.url))

describeInstalled('under systemd, otherwise', () => {
  test('a user that exists while the service runs: the state is its own, commands are run as root', async ({
    lab,
    sluice,
  }) => {
    lab.copyIn(`${laid_down}/sluice-dynamic-user.conf`, '/etc/systemd/system/sluice.service.d/dynamic-user.conf')
    await lab.systemctl('daemon-reload')
    sluice.write({ 'a.txt': 'one' })
    await sluice.start()
    await sluice.untilStatus('1 ready')
    const { MainPID } = await lab.show('sluice', 'MainPID')
    expect(await lab.sh(`stat -c '%U %a' /proc/${MainPID} /var/lib/private/sluice`)).toBe(
      'sluice-dynamic 555\nsluice-dynamic 700\n',
    )
    expect(await lab.sh('cd / && sluice pause --config /etc/sluice/sluice.yaml')).not.toBe('')
    await sluice.untilStatus('paused; 1 ready')
    await lab.sh('systemctl stop sluice && rm -rf /var/lib/private/sluice /var/lib/sluice')
  })

  test('an instance for each configuration, each with a token and a state of its own', async ({ lab, sluice }) => {
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
