import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { makeTree } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'

const sluice = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
const mib = 1024 * 1024
const upload_bytes = 2_048 * mib
const max_growth_bytes = 64 * mib
/** The default of ingest.max_bytes. */
const max_read_bytes = 32 * mib
/**
 * The sum of its bytes, its text, a paragraph as long as the text, and half as much again of
 * uncollected garbage.
 */
const max_reading_bytes = 160 * mib
/** The object, and space for other tests. */
const min_free_bytes = 6e9
const max_read_ms = 600_000

const started: ChildProcess[] = []
afterEach(async () => {
  for (const child of started.splice(0)) {
    const closed = once(child, 'close')
    child.kill('SIGTERM')
    await closed
  }
})

test('a 2 GB upload takes at most 64 MB more memory, and is judged without being read', async (context) => {
  // The data lies on a disk, because makeStore may use memory.
  const data_dir = makeTree()
  const fault = unfitFor(data_dir)
  if (fault) {
    console.log(`skipped: the memory of a 2 GB upload, because ${fault}`)
    return context.skip()
  }
  const { pid, call, end } = await serve(data_dir)
  const slot = await call('POST', '/v1/assets', {
    filename: 'big.txt',
    mime_type: 'text/plain',
    md5: md5Of(pieces(upload_bytes)),
  })
  const start_bytes = startOver(pid)
  expect(await put(slot, upload_bytes)).toBe(201)
  const uploaded = memoryOf(pid)
  const record = await call('POST', `/v1/assets/${slot.asset_id}/complete`)
  expect(record.size_in_bytes).toBe(upload_bytes)
  const [file = ''] = readdirSync(join(data_dir, 'objects'))
  expect(statSync(join(data_dir, 'objects', file)).size).toBe(upload_bytes)

  // The file is larger than the ingest accepts. The size alone decides, which takes no memory
  // either.
  expect(await end(slot.asset_id)).toBe('failed')
  const judged = memoryOf(pid)
  console.log(
    `resident memory of the service: ${inMb(start_bytes)} at the start, ${inMb(uploaded.peak_bytes)} at most during the upload ` +
      `(${inMb(uploaded.now_bytes)} at its end), ${inMb(judged.peak_bytes)} at most until its end was known`,
  )
  expect(judged.peak_bytes - start_bytes).toBeLessThanOrEqual(max_growth_bytes)
})

test('the largest text that is read takes a bounded piece of memory, too', async (context) => {
  const data_dir = makeTree()
  const fault = unfitFor(data_dir)
  if (fault) {
    console.log(`skipped: the memory of the largest text, because ${fault}`)
    return context.skip()
  }
  const { pid, call, end } = await serve(data_dir)
  const slot = await call('POST', '/v1/assets', { filename: 'large.txt', mime_type: 'text/plain' })
  const start_bytes = startOver(pid)
  expect(await put(slot, max_read_bytes)).toBe(201)
  await call('POST', `/v1/assets/${slot.asset_id}/complete`)
  expect(await end(slot.asset_id)).toBe('ready')
  const { peak_bytes } = memoryOf(pid)
  console.log(
    `and for a text of 32 MB: ${inMb(start_bytes)} at the start, ${inMb(peak_bytes)} at most while it was read`,
  )
  expect(peak_bytes - start_bytes).toBeLessThanOrEqual(max_reading_bytes)
})

function unfitFor(folder: string): string | undefined {
  if (!existsSync('/proc/self/clear_refs'))
    return 'the kernel does not report the peak of a process here'
  const { bavail, bsize } = statfsSync(folder)
  const free_bytes = bavail * bsize
  return free_bytes < min_free_bytes
    ? `${inMb(free_bytes)} are free on the disk, ${inMb(min_free_bytes)} are needed`
    : undefined
}

async function serve(data_dir: string) {
  const named = (kind: string) =>
    execFileSync(
      process.execPath,
      [sluice, 'serve', kind, 'create', 'large', '--data-dir', data_dir],
      {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    ).trim()
  const headers = {
    'x-project-id': named('project'),
    'x-api-key': named('token'),
    'content-type': 'application/json',
  }
  const child = spawn(process.execPath, [sluice, 'serve', '--data-dir', data_dir], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  started.push(child)
  const [line] = await once(child.stdout!, 'data')
  const { api } = JSON.parse(String(line)) as { api: string }
  const call = async (method: string, path: string, body?: object) => {
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(api + path, { method, headers, ...text })
    // biome-ignore lint/suspicious/noExplicitAny: a slot or a record
    return (await response.json()) as any
  }
  /** The final status of an asset that is being read. */
  const end = async (asset_id: string): Promise<string> => {
    let status = 'ingesting'
    const isRead = async () => {
      status = (await call('GET', `/v1/assets/${asset_id}`)).status
      return status !== 'ingesting'
    }
    await until('it is read', isRead, undefined, max_read_ms)
    return status
  }
  return { pid: child.pid!, call, end }
}

/**
 * Sets the kernel's high-water mark of the process back to its current memory, and returns that.
 */
function startOver(pid: number): number {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  return memoryOf(pid).now_bytes
}

/** The kernel's own numbers, so that no peak between two measurements is missed. */
function memoryOf(pid: number): { now_bytes: number; peak_bytes: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024
  return { now_bytes: bytes('VmRSS'), peak_bytes: bytes('VmHWM') }
}

/** Pieces that differ, so that a lost or repeated one changes the md5. */
function* pieces(size: number): Generator<Buffer> {
  const piece = Buffer.alloc(mib, 'a line of text that is long enough to be one\n')
  for (let at = 0; at < size / mib; at++) {
    const numbered = Buffer.from(piece)
    numbered.write(String(at).padStart(8, '0'))
    yield numbered
  }
}

function md5Of(bytes: Iterable<Buffer>): string {
  const md5 = createHash('md5')
  for (const piece of bytes) md5.update(piece)
  return md5.digest('hex')
}

function put(
  slot: { upload_url: string; upload_headers: Record<string, string> },
  size: number,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { ...slot.upload_headers, 'content-length': String(size) }
    const sent = request(slot.upload_url, { method: 'PUT', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    sent.on('error', reject)
    Readable.from(pieces(size)).pipe(sent)
  })
}

function inMb(bytes: number): string {
  return `${(bytes / mib).toFixed(1)} MB`
}
