import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { makeStore } from '../../rig/tree.ts'

export const profiles = ['default', 'hosted'] as const
export type Profile = (typeof profiles)[number]

const here = fileURLToPath(new URL('.', import.meta.url))
const sluice = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

/**
 * The compiler of the project: it takes a tenth of the time of the one that the generator needs.
 */
export const compiler = fileURLToPath(new URL('../../../node_modules/.bin/tsc', import.meta.url))

/**
 * Runs a program of this package, or the one at this path. Returns its output; the error has all
 * that it wrote.
 */
export function tool(name: string, words: readonly string[]): string {
  const quiet = {
    ...process.env,
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    NO_COLOR: '1',
  }
  try {
    const options = { cwd: here, encoding: 'utf8', env: quiet, stdio: 'pipe' } as const
    return execFileSync(resolve(here, 'node_modules/.bin', name), words, options)
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${name} ${words.join(' ')}:\n${stdout}${stderr}`)
  }
}

export const user = 'ada@example.org'

interface Program {
  stop(): Promise<void>
}

/** Starts a program, and waits for the line of its output in which `pattern` finds something. */
async function start(
  file: string,
  words: readonly string[],
  pattern: RegExp,
): Promise<Program & { found: string }> {
  const child = spawn(file, words, { cwd: here, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout })) {
    const found = pattern.exec(line)?.[1]
    if (found === undefined) continue
    // The rest is not read.
    child.stdout.resume()
    return { found, stop: () => stop(child) }
  }
  throw new Error(`${words.join(' ')} ended before it was ready`)
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
}

export interface Served extends Program {
  url: string
  /** The key of a user. */
  key: string
  /** The file with the service's description. */
  description: string
}

/** `sluice serve` with this profile, with a user and a key that its commands made. */
export async function serve(profile: Profile): Promise<Served> {
  const folder = ['--data-dir', makeStore()]
  const command = (...words: string[]) =>
    execFileSync(process.execPath, [sluice, 'serve', ...words, ...folder], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim()
  command('user', 'create', user)
  const key = command('token', 'create', 'client', '--user', user)
  const words = [sluice, 'serve', '--profile', profile, ...folder]
  const { found: url, stop } = await start(process.execPath, words, /"api":"([^"]+)"/)
  const description = join(makeStore(), `${profile}.yaml`)
  writeFileSync(description, await (await fetch(`${url}/v1/openapi.yaml`)).text())
  return { url, key, description, stop }
}

/** Prism as a proxy that compares each request and each answer with the description. */
export async function proxy({
  url,
  description,
}: Pick<Served, 'url' | 'description'>): Promise<Program & { url: string }> {
  const port = await freePort()
  const words = ['proxy', description, url, '--port', String(port)]
  const { found, stop } = await start(
    join(here, 'node_modules/.bin/prism'),
    words,
    /listening on (http:\S+\d)/,
  )
  return { url: found, stop }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
