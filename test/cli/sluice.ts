import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished, type TestContext } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { runCli } from '../../src/cli/run-cli.ts'
import type { ServiceOptions } from '../../src/service/options.ts'
import {
  type ChangedConstants,
  constantsEnv,
  mergedConstants,
  runWithConstants,
} from '../rig/config-of.ts'
import { type Service, startService } from '../rig/local-service.ts'
import { addToTree, makeStore, type TreeEntry } from '../rig/tree.ts'
import { until as waitUntil } from '../rig/waiting.ts'
import { capturedTerminal } from './captured-terminal.ts'

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const quick = {
  follow: { first_ms: 20, max_ms: 200 },
  // A second thread costs its start in every pass, and has nothing to do.
  hashing: { threads: 1 },
  asking: { first_ms: 20, max_ms: 200 },
  watching: { root_check_ms: 500, scan_rest_ms: 200 },
}
/** Settle time of the folder docs. */
export const settle_ms = 50

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  out: string
  err: string
}

/** A process of the real program, and its output so far. */
export interface Running {
  ended: Promise<Ended>
  child: ChildProcess
  out(): string
  err(): string
}

/** A user with a folder called docs, a configuration and a token of a local service. */
export class Home {
  readonly path: string
  readonly service: Service
  readonly project_id: string
  readonly #children = new Set<ChildProcess>()
  #constants: ChangedConstants = quick
  /** Added to the environment of each program that starts. */
  environment: Record<string, string> = {}
  #tokens = 0

  private constructor(path: string, service: Service) {
    this.path = path
    this.service = service
    this.project_id = service.projects.create('cli').project_id
    this.giveToken()
    this.configure()
  }

  static async make(
    tree: Record<string, TreeEntry> = {},
    options: Partial<ServiceOptions> = {},
  ): Promise<Home> {
    return Home.of({ onTestFinished }, tree, options)
  }

  /** For concurrent tests: the end of its own test closes it. */
  static async of(
    { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
    tree: Record<string, TreeEntry> = {},
    options: Partial<ServiceOptions> = {},
  ): Promise<Home> {
    const home = await Home.#open(tree, options)
    onTestFinished(() => home.close())
    return home
  }

  static async #open(
    tree: Record<string, TreeEntry>,
    options: Partial<ServiceOptions>,
  ): Promise<Home> {
    const path = makeStore()
    addToTree(path, { 'docs/': '' })
    addToTree(join(path, 'docs'), tree)
    return new Home(path, await startService({ data_dir: join(path, 'service'), ...options }))
  }

  giveToken(token = this.service.tokens.create(`cli ${++this.#tokens}`).token): void {
    writeFileSync(join(this.path, 'token'), token, { mode: 0o600 })
  }

  configure(
    change: {
      service?: object
      uploads?: object
      constants?: ChangedConstants
      folder?: object
      folders?: object[]
      prompts?: object[]
      removal?: object
    } = {},
  ): void {
    const docs = { name: 'docs', path: join(this.path, 'docs'), settle_ms, ...change.folder }
    const service = {
      base_url: this.service.api,
      project_id: this.project_id,
      token_file: join(this.path, 'token'),
      ...change.service,
    }
    const config = {
      service,
      state_dir: join(this.path, 'state'),
      folders: [docs, ...(change.folders ?? [])],
      uploads: { min_resend_s: 0, ...change.uploads },
      ...(change.removal ? { removal: change.removal } : {}),
      ...(change.prompts ? { prompts: change.prompts } : {}),
    }
    this.#constants = mergedConstants(quick, change.constants ?? {})
    writeFileSync(join(this.path, 'sluice.yaml'), JSON.stringify(config))
  }

  write(tree: Record<string, TreeEntry>): void {
    addToTree(join(this.path, 'docs'), tree)
  }

  start(...words: string[]): Running {
    const child = spawn(process.execPath, [program, ...words], {
      cwd: this.path,
      env: {
        PATH: process.env.PATH,
        HOME: this.path,
        ...constantsEnv(this.#constants),
        ...this.environment,
      },
    })
    this.#children.add(child)
    let [out, err] = ['', '']
    child.stdout.on('data', (chunk) => {
      out += String(chunk)
    })
    child.stderr.on('data', (chunk) => {
      err += String(chunk)
    })
    const ended = new Promise<Ended>((resolve) => {
      child.on('close', (code, signal) => {
        this.#children.delete(child)
        resolve({ code, signal, out, err })
      })
    })
    return { child, ended, out: () => out, err: () => err }
  }

  sluice(...words: string[]): Promise<Ended> {
    return this.start(...words).ended
  }

  /** Runs in this process, at a fifth of the cost, where neither signals nor the log matter. */
  async inProcess(...words: string[]): Promise<Omit<Ended, 'signal'>> {
    const { terminal, out, err } = capturedTerminal()
    const all = [...words, '--config', join(this.path, 'sluice.yaml')]
    const code = await runWithConstants(quick, () => runCli(all, terminal, commands))
    return { code, out: out(), err: err() }
  }

  /** Starts a daemon and waits until it answers on its socket. */
  async run(): Promise<Running> {
    const running = this.start('run')
    await until(
      'the daemon runs',
      () => running.err().includes('is running'),
      () => running.err(),
    )
    return running
  }

  readyAssets(): number {
    return this.service.assets(this.project_id).filter(({ status }) => status === 'ready').length
  }

  hasSocket(): boolean {
    return existsSync(join(this.path, 'state/control.sock'))
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL')
    await this.service.close()
  }
}

/** Five processes start slowly on two busy cores. A process that takes longer than this hangs. */
const patience_ms = 40_000

export function until(what: string, fact: () => boolean, more?: () => unknown): Promise<void> {
  return waitUntil(what, fact, more, patience_ms)
}

/**
 * Repeats the call until its answer is the expected one. It rests in between, so that the awaited
 * work gets the processor.
 */
export async function untilAnswer<Answer>(
  what: string,
  ask: () => Promise<Answer>,
  isAwaited: (answer: Answer) => boolean,
  max_ms?: number,
): Promise<Answer> {
  let answer: Answer | undefined
  const isThere = async () => {
    answer = await ask()
    return isAwaited(answer)
  }
  await waitUntil(what, isThere, () => answer, max_ms)
  return answer!
}
