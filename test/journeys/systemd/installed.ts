import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, test as plain } from 'vitest'
import { type Service, startService } from '../../rig/local-service.ts'
import { addToTree, makeStore, type TreeEntry } from '../../rig/tree.ts'
import { bootLab, type Lab, no_lab } from './lab.ts'

const laid_down = fileURLToPath(new URL('../../../systemd', import.meta.url))

/**
 * An installed Sluice: unit, user, configuration and token in their places, one folder, /srv/docs.
 */
export class Installed {
  readonly lab: Lab
  readonly service: Service
  project_id: string
  #tokens = 0
  #projects = 0

  private constructor(lab: Lab, service: Service) {
    this.lab = lab
    this.service = service
    this.project_id = service.projects.create('systemd').project_id
  }

  /** Not started yet. The assistant service runs outside, on the loopback that the lab shares. */
  static async in(lab: Lab): Promise<Installed> {
    const installed = new Installed(lab, await startService({ data_dir: makeStore() }))
    await Installed.layDown(lab)
    installed.giveToken()
    installed.configure()
    return installed
  }

  /** Installs the unit and its user by hand. */
  static async layDown(lab: Lab): Promise<void> {
    lab.copyIn(join(laid_down, 'sluice.sysusers'), '/usr/lib/sysusers.d/sluice.conf')
    lab.copyIn(join(laid_down, 'sluice.service'), '/etc/systemd/system/sluice.service')
    await lab.sh('systemd-sysusers && mkdir -p /srv/docs && systemctl daemon-reload')
  }

  giveToken(token = this.service.tokens.create(`systemd ${++this.#tokens}`).token): void {
    this.lab.write('/etc/sluice/token', token, 0o600)
  }

  /** Revokes the latest token. */
  revokeToken(): void {
    this.service.tokens.revoke(`systemd ${this.#tokens}`)
  }

  configure(change: Record<string, object> = {}): void {
    const { service, uploads, ...others } = change
    const config = {
      service: { base_url: this.service.api, project_id: this.project_id, ...service },
      folders: [{ name: 'docs', path: '/srv/docs', settle_ms: '50ms' }],
      uploads: { min_resend_s: 0, ...uploads },
      ...others,
    }
    // The token comes as a credential.
    this.lab.write('/etc/sluice/sluice.yaml', JSON.stringify(config))
  }

  /** Changes settings of the unit, as an administrator does. */
  async change(settings: Record<string, string | number>): Promise<void> {
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
    this.lab.write(
      '/etc/systemd/system/sluice.service.d/test.conf',
      `[Service]\n${lines.join('\n')}\n`,
    )
    await this.lab.systemctl('daemon-reload')
  }

  write(tree: Record<string, TreeEntry>): void {
    addToTree(this.lab.path('/srv/docs'), tree)
  }

  readyAssets(): number {
    return this.service.assets(this.project_id).filter(({ status }) => status === 'ready').length
  }

  async statusText(): Promise<string> {
    return (await this.lab.show('sluice', 'StatusText')).StatusText
  }

  /** Starts it and waits until it is ready. */
  async start(): Promise<void> {
    const { code, err } = await this.lab.systemctl('start', 'sluice')
    expect(code, err + (await this.tail())).toBe(0)
  }

  /** Waits for this status; the error shows the other answers and the last lines of the journal. */
  async untilStatus(wanted: string | RegExp): Promise<void> {
    await this.lab.until(
      `the status is ${wanted}`,
      async () => {
        const text = await this.statusText()
        return typeof wanted === 'string' ? text === wanted : wanted.test(text)
      },
      () => this.tail(),
    )
  }

  async state(): Promise<{
    ActiveState: string
    SubState: string
    Result: string
    ExecMainStatus: string
    NRestarts: string
  }> {
    return this.lab.show(
      'sluice',
      'ActiveState',
      'SubState',
      'Result',
      'ExecMainStatus',
      'NRestarts',
    )
  }

  /** Lines of its journal since the last begin. */
  async log(): Promise<string> {
    return (await this.lab.journal('sluice')).map(({ text }) => text).join('\n')
  }

  async tail(): Promise<string> {
    return `${JSON.stringify(await this.state())} ${await this.statusText()}\n${(await this.log()).split('\n').slice(-25).join('\n')}`
  }

  /** Returns to the first day: stopped, empty state, empty project, unchanged unit. */
  async begin(): Promise<void> {
    rmSync(this.lab.path('/etc/systemd/system/sluice.service.d'), { recursive: true, force: true })
    await this.lab.sh(
      'systemctl daemon-reload; systemctl stop sluice; systemctl reset-failed sluice || true; rm -rf /var/lib/sluice /srv/docs/*',
    )
    this.project_id = this.service.projects.create(`systemd ${++this.#projects}`).project_id
    this.giveToken()
    this.configure()
  }

  async close(): Promise<void> {
    await this.service.close()
  }
}

let installed: Installed | undefined

/**
 * Tests that share a systemd; Sluice is as on the first day for each of them. Skipped if no systemd
 * can be booted.
 */
export function describeInstalled(name: string, tests: () => void): void {
  describe.skipIf(no_lab)(name, () => {
    let lab: Lab | undefined
    beforeAll(async () => {
      lab = await bootLab()
      installed = await Installed.in(lab)
    })
    beforeEach(() => installed!.begin())
    afterAll(async () => {
      await lab?.close()
      await installed?.close()
    })
    tests()
  })
}

// biome-ignore-start lint/correctness/noEmptyPattern: vitest reads the fixtures from the pattern.
export const test = plain.extend<{ lab: Lab; sluice: Installed }>({
  lab: ({}, use) => use(installed!.lab),
  sluice: ({}, use) => use(installed!),
})
// biome-ignore-end lint/correctness/noEmptyPattern: see above
