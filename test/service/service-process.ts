import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type ClientRequest, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { system_clock } from '../../src/base/time/time.ts'
import type { ServiceOptions } from '../../src/service/options.ts'
import { openAdministration } from '../../src/service/store/stores.ts'
import type { Slot } from './fixture.ts'
import { temporaryFolder, until } from './fixture.ts'

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const service_module = fileURLToPath(new URL('../../dist/service/service.js', import.meta.url))

/** A service in a process of its own, seen from outside: over HTTP, by its lines and by its end. */
export interface ServiceProcess {
  child: ChildProcess
  api: string
  blob: string
  /** The output for users so far. */
  err(): string
  /** Resolves with the exit code, or the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>
}

/** Runs the program itself: `sluice serve` with these arguments. */
export function serve(
  data_dir: string,
  words: readonly string[] = [],
  limits: { open_files?: number } = {},
): Promise<ServiceProcess> {
  return run([program, 'serve', '--data-dir', data_dir, ...words], limits)
}

/** Starts it with options that the program has no arguments for. */
export function startInProcess(
  data_dir: string,
  options: Partial<ServiceOptions> = {},
): Promise<ServiceProcess> {
  const code = `
    import { startService } from ${JSON.stringify(service_module)}
    const service = await startService(${JSON.stringify({ data_dir, ...options })})
    console.log(JSON.stringify({ api: service.api, blob: service.blob }))`
  const script = join(temporaryFolder(), 'service.mjs')
  writeFileSync(script, code)
  return run([script])
}

async function run(
  words: readonly string[],
  { open_files }: { open_files?: number } = {},
): Promise<ServiceProcess> {
  const limited = ['sh', '-c', `ulimit -n ${open_files}; exec "$@"`, 'sh']
  const [file = '', ...rest] = [
    ...(open_files === undefined ? [] : limited),
    process.execPath,
    ...words,
  ]
  const child = spawn(file, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let err = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  // `close` comes after all its output.
  const exited = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  const lines = createInterface({ input: child.stdout! })
  const [line] = await Promise.race([
    once(lines, 'line') as Promise<[string]>,
    exited.then(([code]) => {
      throw new Error(`the service ended with ${code}: ${err}`)
    }),
  ])
  return {
    child,
    ...(JSON.parse(line) as { api: string; blob: string }),
    err: () => err,
    async end(signal) {
      child.kill(signal)
      const [code, by_signal] = await exited
      return code ?? by_signal
    },
  }
}

export interface Account {
  data_dir: string
  headers: Record<string, string>
}

/** A data folder with a project and a token, made as the commands make them. */
export function makeAccount(data_dir = temporaryFolder()): Account {
  const { projects, tokens, close } = openAdministration(data_dir, system_clock, true)
  const { project_id } = projects.create('processes')
  const { token } = tokens.create('tests')
  close()
  return {
    data_dir,
    headers: { 'x-api-key': token, 'x-project-id': project_id, 'content-type': 'application/json' },
  }
}

export interface Seen {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the tests read answers of every shape
  body: any
}

export async function call(address: string, account: Account, body?: object): Promise<Seen> {
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const answer = await fetch(address, { headers: account.headers, ...sent })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
}

export async function makeSlot(
  service: ServiceProcess,
  account: Account,
  filename = 'a.txt',
): Promise<Slot> {
  return (await call(`${service.api}/v1/assets`, account, { filename, mime_type: 'text/plain' }))
    .body
}

export async function statusIs(
  service: ServiceProcess,
  account: Account,
  asset_id: string,
  status: string,
): Promise<void> {
  await until(async () => {
    const { body } = await call(`${service.api}/v1/assets/${asset_id}`, account)
    return body.status === status
  }, `${asset_id} is ${status}`)
}

export interface HalfUpload {
  /** Sends the other half and returns the status. */
  finish(): Promise<number>
  /** Resolves once the connection is gone, with or without an answer. */
  readonly closed: Promise<void>
}

/** Sends one half of an upload. */
export function uploadHalf(slot: Slot, bytes: Buffer): HalfUpload {
  const headers = { ...slot.upload_headers, 'content-length': String(bytes.length) }
  const upload: ClientRequest = request(slot.upload_url, { method: 'PUT', headers, agent: false })
  const answered = once(upload, 'response').then(([response]) => {
    response.resume()
    return response.statusCode as number
  })
  // A caller who waits for the answer sees the fault; others may ignore it.
  answered.catch(() => {})
  upload.on('error', () => {})
  const closed = new Promise<void>((resolve) => upload.once('close', () => resolve()))
  upload.write(bytes.subarray(0, bytes.length / 2))
  return {
    finish() {
      upload.end(bytes.subarray(bytes.length / 2))
      return answered
    },
    closed,
  }
}
