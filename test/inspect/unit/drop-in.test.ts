import { describe, expect, test } from 'vitest'
import { dropInOf, unitFit } from '../../../src/inspect/unit/drop-in.ts'
import { mountsOf, reachOf } from '../../../src/inspect/unit/unit-facts.ts'
import { makeTree } from '../../rig/tree.ts'
import { facts, promptTo, unitConfig } from './unit-config.ts'

/** A configuration with every kind of path: written, read and secret. */
const whole = unitConfig(['/srv/finance', '/mnt/nas/contracts'], {
  prompts: [
    promptTo(
      { file: { dir: '/srv/reports' } },
      { file: { dir: '/srv/copies of reports' } },
      {
        webhook: {
          url_file: '/etc/sluice/hook',
          secret_file: '/run/credentials/sluice.service/hook-secret',
        },
      },
    ),
  ],
  smtp: { host: 'mail.example.org' },
})

describe('the drop-in', () => {
  test('names the paths of the configuration and of the program', () => {
    const mounts = new Map([['/mnt/nas/contracts', { mount_point: '/mnt/nas', is_network: true }]])
    expect(dropInOf(whole, { ...facts, groups: ['finance'], mounts })).toBe(
      `# Made by \`sluice install\` from the configuration: run it again when folders or reports have changed.
[Unit]
# The folders are there before the service, as far as their mounts are known.
Wants=mnt-nas.mount
After=mnt-nas.mount
RequiresMountsFor=/srv/finance
[Service]
# Where node and the program are, without a search along PATH.
ExecStart=
ExecStart=/usr/bin/node /usr/local/lib/node_modules/sluice/dist/cli/main.js run --config /etc/sluice/sluice.yaml
ExecReload=
ExecReload=/usr/bin/node /usr/local/lib/node_modules/sluice/dist/cli/main.js reload --config /etc/sluice/sluice.yaml
# Watched folders, certificates and secrets: read, never written.
ReadOnlyPaths=-/mnt/nas
ReadOnlyPaths=-/srv/finance
ReadOnlyPaths=-/etc/sluice/hook
# Reports and copies of them.
ReadWritePaths="-/srv/copies of reports"
ReadWritePaths=-/srv/reports
# Secrets that the configuration names in the credentials directory.
LoadCredential=hook-secret:/etc/sluice/hook-secret
# Who may read the folders.
SupplementaryGroups=finance
`,
    )
  })

  test('opens the state directory where it is not the unit’s', () => {
    const text = dropInOf(unitConfig(['/srv/docs'], { state_dir: '/data/sluice' }), facts)
    expect(text).toContain('\nReadWritePaths=-/data/sluice\n')
    expect(dropInOf(unitConfig(['/srv/docs']), facts)).not.toContain('ReadWritePaths')
  })

  test('a reload sees a new token, if systemd can refresh it or the service owns it', () => {
    const config = unitConfig(['/srv/docs'], { service: { token_file: '/etc/sluice/live-token' } })
    expect(dropInOf(config, facts)).not.toMatch(/live-token|LoadCredential|RefreshOnReload/)
    expect(dropInOf(config, { ...facts, is_refreshing: true })).toContain(
      '\nRefreshOnReload=credentials\n',
    )
    expect(dropInOf(config, { ...facts, is_token_own: true })).toContain(
      '\nReadOnlyPaths=-/etc/sluice/live-token\nLoadCredential=\n',
    )
  })

  test('never makes a written directory read-only', () => {
    const config = unitConfig(['/mnt/disk/in'], {
      prompts: [promptTo({ file: { dir: '/mnt/disk' } })],
    })
    const mounts = new Map([['/mnt/disk/in', { mount_point: '/mnt/disk', is_network: false }]])
    const text = dropInOf(config, { ...facts, mounts })
    expect(text).toContain('ReadWritePaths=-/mnt/disk\n')
    expect(text).not.toContain('ReadOnlyPaths')
  })
})

describe('unit and configuration', () => {
  test('fit if made from the configuration, or edited by hand with wider paths', () => {
    expect(unitFit(whole, dropInOf(whole, facts))).toEqual([])
    const wide = `ReadWritePaths=-/srv/reports "/srv/copies of reports"\nReadOnlyPaths=/srv /mnt -/etc/sluice/hook
LoadCredential=hook-secret:/elsewhere`
    expect(unitFit(whole, wide)).toEqual([])
  })

  test('no longer fit: lists each missing and each unused right', () => {
    const before = dropInOf(
      unitConfig(['/srv/old'], { prompts: [promptTo({ file: { dir: '/srv/old reports' } })] }),
      facts,
    )
    expect(unitFit(whole, before)).toEqual([
      expect.stringMatching(
        /^the unit does not know the folder \/mnt\/nas\/contracts: run `sluice install`/,
      ),
      expect.stringMatching(/^the unit does not know the folder \/srv\/finance: /),
      expect.stringMatching(
        /^the unit does not let the service write reports to \/srv\/copies of reports: /,
      ),
      expect.stringMatching(/^the unit does not let the service write reports to \/srv\/reports: /),
      expect.stringMatching(
        /^the unit lets the service write to \/srv\/old reports, where nothing is written any more: /,
      ),
      expect.stringMatching(/^the unit does not know the file \/etc\/sluice\/hook: /),
      expect.stringMatching(/^the unit does not hand over the credential hook-secret: /),
    ])
  })
})

test('the longest mount point above a folder is its file system', () => {
  const mountinfo = `22 1 8:1 / / rw - ext4 /dev/sda1 rw
30 22 0:40 / /mnt/nas rw shared:1 - nfs4 server:/x rw
31 22 0:41 / /mnt/my\\040disk rw shared:2 master:1 - ext4 /dev/sdb1 rw
`
  const folders = ['/srv/a', '/mnt/nas/b', '/mnt/nasty', '/mnt/my disk']
  expect([...mountsOf(folders, mountinfo)]).toEqual([
    ['/srv/a', { mount_point: '/', is_network: false }],
    ['/mnt/nas/b', { mount_point: '/mnt/nas', is_network: true }],
    ['/mnt/nasty', { mount_point: '/', is_network: false }],
    ['/mnt/my disk', { mount_point: '/mnt/my disk', is_network: false }],
  ])
})

test('tries folders as the user of the service, and separates missing from closed ones', () => {
  const root = makeTree({ 'open/': '', 'closed/': '', 'gate/in/': '' })
  const may = (_groups: readonly string[], test: readonly string[]) =>
    test.includes(`${root}/open`) || (test[0] === '-x' && `${root}/`.startsWith(test[1]!))
  const reach = reachOf([`${root}/open`, `${root}/closed`, `${root}/gate/in`, `${root}/gone`], may)
  const closed = [
    { path: `${root}/closed`, parent: undefined },
    { path: `${root}/gate/in`, parent: `${root}/gate` },
  ]
  expect(reach).toEqual({ missing: [`${root}/gone`], groups: [], closed })
})
