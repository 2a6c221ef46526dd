import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openSqliteReadOnly } from '../../../src/base/files/sqlite.ts'
import { commands } from '../../../src/cli/commands.ts'
import { runCli } from '../../../src/cli/run-cli.ts'
import type { Config } from '../../../src/config/config.ts'
import { ledger_migrations } from '../../../src/ledger/file/ledger-file.ts'
import { capturedTerminal } from '../../cli/captured-terminal.ts'
import {
  type ChangedConstants,
  configWith,
  constantsEnv,
  mergedConstants,
  runWithConstants,
  splitConstants,
} from '../../rig/config-of.ts'
import type { Service } from '../../rig/local-service.ts'
import { addToTree, makeTree, type TreeEntry } from '../../rig/tree.ts'
import { unprivileged } from '../../rig/unprivileged.ts'

const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
/** Each command takes less than this; a command that takes longer hangs. */
const patience_ms = 45_000
const quick = {
  uploads: { retry_first_ms: 20, max_retry_ms: 200 },
  follow: { first_ms: 20, max_ms: 200 },
  // A second thread costs its start in every pass, and has nothing to do.
  hashing: { threads: 1 },
}

export interface Ended {
  code: number | null
  out: string
  err: string
}

export interface Running {
  child: ChildProcess
  ended: Promise<Ended>
  out(): string
  err(): string
}

export interface StartOptions {
  env?: NodeJS.ProcessEnv
  /** Runs the command under permission bits, even if the tests run as root. */
  unprivileged?: boolean
  /** Words before the program: `unshare -m sh …`. */
  command?: readonly string[]
}

const children = new Set<ChildProcess>()

process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

type Fields = Record<string, unknown>

/**
 * A user with a folder called docs, a token file and a configuration. A process that runs too long
 * is killed, as is every process at the end.
 */
export class SluiceHome {
  readonly path: string
  #settings = {}
  #constants: ChangedConstants = quick

  constructor(tree: Record<string, TreeEntry> = {}) {
    this.path = makeTree({ 'docs/': '' })
    chmodSync(this.path, 0o755)
    this.write(tree)
  }

  at(name: string): string {
    return join(this.path, name)
  }

  write(tree: Record<string, TreeEntry>): void {
    addToTree(this.at('docs'), tree)
  }

  /**
   * Creates a project of the service and a token for it, and writes both to the configuration.
   * Returns the project.
   */
  use(
    service: Service,
    change: { service?: Fields; uploads?: Fields; folder?: Fields; top?: Fields } = {},
  ): string {
    const { project_id } = service.projects.create('a project')
    this.giveToken(service.tokens.create(this.path).token)
    this.configure({ ...change, service: { base_url: service.api, project_id, ...change.service } })
    return project_id
  }

  giveToken(token: string): void {
    writeFileSync(this.at('token'), token, { mode: 0o600 })
  }

  configure(change: { service: Fields; uploads?: Fields; folder?: Fields; top?: Fields }): void {
    const { settings, changed } = splitConstants({
      service: { token_file: this.at('token'), ...change.service },
      state_dir: this.at('state'),
      folders: [{ name: 'docs', path: this.at('docs'), settle_ms: '50ms', ...change.folder }],
      uploads: { min_resend_s: 0, limit: 'off', ...change.uploads },
      ...change.top,
    })
    this.#settings = settings
    this.#constants = mergedConstants(quick, changed)
    writeFileSync(this.at('sluice.yaml'), JSON.stringify(settings, undefined, 2))
  }

  /** The written configuration, for a daemon in this process. */
  config(): Config {
    return configWith(this.#settings, this.#constants, { HOME: this.path })
  }

  start(
    words: readonly string[],
    { env = {}, unprivileged: is_bound = false, command = [] }: StartOptions = {},
  ): Running {
    const [file = '', ...rest] = [
      ...command,
      ...(is_bound ? unprivileged() : []),
      process.execPath,
      program,
      ...words,
    ]
    const child = spawn(file, rest, {
      cwd: this.path,
      env: { PATH: process.env.PATH, HOME: this.path, ...constantsEnv(this.#constants), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    children.add(child)
    let [out, err] = ['', '']
    child.stdout.on('data', (chunk) => {
      out += String(chunk)
    })
    child.stderr.on('data', (chunk) => {
      err += String(chunk)
    })
    const ended = new Promise<Ended>((resolve, reject) => {
      const late = setTimeout(() => {
        child.kill('SIGKILL')
        reject(
          new Error(
            `sluice ${words.join(' ')} takes longer than ${patience_ms} ms\n${out}\n${err}`,
          ),
        )
      }, patience_ms)
      child.on('close', (code) => {
        clearTimeout(late)
        children.delete(child)
        resolve({ code, out, err })
      })
    })
    return { child, ended, out: () => out, err: () => err }
  }

  sluice(words: readonly string[], options?: StartOptions): Promise<Ended> {
    return this.start(words, options).ended
  }

  /**
   * Runs the command in this process, at a hundredth of the cost. For commands that fail before
   * they start anything.
   */
  async inProcess(words: readonly string[]): Promise<Ended> {
    const { terminal, out, err } = capturedTerminal()
    const code = await runWithConstants(this.#constants, () => runCli(words, terminal, commands))
    return { code, out: out(), err: err() }
  }

  /** Every file of the ledger with its state, or with that of its content if it is present. */
  stages(): Record<string, string> {
    const ledger = openSqliteReadOnly(this.at('state/ledger.db'), ledger_migrations)
    try {
      const rows = ledger
        .prepare(
          `SELECT path, CASE WHEN files.state = 'present' THEN contents.state
             ELSE trim(files.state || ' ' || coalesce(reason, '')) END AS stage
           FROM files LEFT JOIN contents ON contents.id = files.content`,
        )
        .all() as { path: string; stage: string }[]
      return Object.fromEntries(rows.map(({ path, stage }) => [path, stage]))
    } finally {
      ledger.close()
    }
  }
}

export function makeDirectory(path: string, mode: number): void {
  mkdirSync(path)
  chmodSync(path, mode)
}
