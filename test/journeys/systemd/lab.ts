import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { until } from '../../rig/waiting.ts'

const script = fileURLToPath(new URL('lab.sh', import.meta.url))
const project = fileURLToPath(new URL('../../..', import.meta.url))
/** A boot takes half a second; on a busy machine it takes longer. */
const patience_ms = 60_000

/** The reason why no systemd can be booted here; undefined if one can. */
export const no_lab = whyNoLab()
// Skipped tests print no reason.
if (no_lab) console.warn(`the tests with a real systemd are skipped: ${no_lab}`)

function whyNoLab(): string | undefined {
  if (process.platform !== 'linux') return 'this is not Linux'
  if (process.getuid?.() !== 0) return 'booting one takes root'
  for (const program of ['unshare', 'nsenter', 'pgrep', 'systemctl']) {
    if (spawnSync('which', [program]).status !== 0) return `${program} is not installed`
  }
  const { status } = spawnSync('unshare', [
    '--mount',
    '--pid',
    '--fork',
    '--cgroup',
    '--uts',
    '--ipc',
    'true',
  ])
  return status === 0 ? undefined : 'this machine allows no new namespaces (unshare failed)'
}

interface Ended {
  code: number | null
  out: string
  err: string
}

interface JournalEntry {
  at_ms: number
  /** As in syslog: 3 is an error, 4 a warning, 6 information. */
  priority: number
  text: string
}

/** A booted systemd. Its commands run as root, and its files can be reached from outside. */
export interface Lab {
  /** The mount point of its overlay; outside it is an empty directory. */
  readonly directory: string
  /** Runs a command inside; never rejects for its exit code. */
  run(command: string, ...words: string[]): Promise<Ended>
  /** Runs a shell line inside; returns its output, and rejects if the exit code is not 0. */
  sh(line: string): Promise<string>
  systemctl(...words: string[]): Promise<Ended>
  /** The path from outside to a file inside. */
  path(inside: string): string
  /** Writes a file inside, and makes missing directories. */
  write(inside: string, text: string, mode?: number): void
  read(inside: string): string
  /** Copies a file or a directory into it. */
  copyIn(outside: string, inside: string): void
  /** Properties of a unit from `systemctl show`. */
  show<Name extends string>(unit: string, ...names: Name[]): Promise<Record<Name, string>>
  /** Messages of the unit and of systemd about it, oldest first. */
  journal(unit: string): Promise<JournalEntry[]>
  /** Polls until the fact holds; the error shows the last state. */
  until(
    what: string,
    fact: () => Promise<boolean> | boolean,
    more?: () => Promise<unknown> | unknown,
  ): Promise<void>
  /** Ends every process inside and removes every file. */
  close(): Promise<void>
}

export interface LabOptions {
  /** Installs this package inside as npm would (default: this project as built), or none. */
  package_dir?: string | 'none'
}

/** Boots a systemd; `close` must be called. Rejects if it does not start. */
export async function bootLab({ package_dir = project }: LabOptions = {}): Promise<Lab> {
  const child = spawn(script, package_dir === 'none' ? [] : [package_dir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [init, directory] = (await firstLine(child)).split(' ') as [string, string]
  const inside = [
    '--target',
    init,
    '--mount',
    '--pid',
    '--uts',
    '--ipc',
    '--root',
    '--wd',
    '--cgroup',
  ]
  const run: Lab['run'] = (command, ...words) => runToEnd('nsenter', [...inside, command, ...words])
  const path = (file: string) => join('/proc', init, 'root', file)
  return {
    directory,
    run,
    async sh(line) {
      const { code, out, err } = await run('bash', '-euo', 'pipefail', '-c', line)
      if (code !== 0) throw new Error(`${line}: exit code ${code}\n${out}${err}`)
      return out
    },
    systemctl: (...words) => run('systemctl', '--no-pager', ...words),
    path,
    write(file, text, mode = 0o644) {
      mkdirSync(dirname(path(file)), { recursive: true })
      rmSync(path(file), { force: true })
      writeFileSync(path(file), text, { mode })
    },
    read: (file) => readFileSync(path(file), 'utf8'),
    copyIn: (outside, file) => cpSync(outside, path(file), { recursive: true }),
    show: (unit, ...names) => show(run, unit, names),
    journal: (unit) => journal(run, unit),
    until: (what, fact, more) => until(what, fact, more, patience_ms),
    async close() {
      child.stdin!.end()
      await new Promise((resolve) => {
        if (child.exitCode !== null) resolve(undefined)
        else child.once('close', resolve)
      })
    },
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: child.stdout! })
    lines.once('line', resolve)
    child.once('error', reject)
    child.once('close', (code) =>
      reject(new Error(`the systemd of the tests ended with ${code} before it was up`)),
    )
  })
}

function runToEnd(command: string, words: readonly string[]): Promise<Ended> {
  const env = { PATH: process.env.PATH, HOME: '/root', LANG: 'C.UTF-8' }
  const child = spawn(command, words, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, out, err }))
  })
}

async function show<Name extends string>(run: Lab['run'], unit: string, names: Name[]) {
  const { out } = await run('systemctl', 'show', unit, `--property=${names.join(',')}`)
  const lines = out
    .split('\n')
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])
  const values = Object.fromEntries(lines)
  return Object.fromEntries(names.map((name) => [name, values[name] ?? ''])) as Record<Name, string>
}

async function journal(run: Lab['run'], unit: string): Promise<JournalEntry[]> {
  const { out } = await run('journalctl', '--unit', unit, '--output=json', '--no-pager', '--quiet')
  const lines = out.split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const entry = JSON.parse(line) as {
      __REALTIME_TIMESTAMP: string
      PRIORITY?: string
      MESSAGE: string | number[]
    }
    // A message that is not UTF-8 comes as bytes.
    const text =
      typeof entry.MESSAGE === 'string'
        ? entry.MESSAGE
        : Buffer.from(entry.MESSAGE).toString('latin1')
    return {
      at_ms: Number(entry.__REALTIME_TIMESTAMP) / 1_000,
      priority: Number(entry.PRIORITY ?? 6),
      text,
    }
  })
}
