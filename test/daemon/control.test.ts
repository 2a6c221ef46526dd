import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import tmp from 'tmp'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createHttpClient } from '../../src/base/net/http-client.ts'
import { SluiceError } from '../../src/base/run/errors.ts'
import { system_clock } from '../../src/base/time/time.ts'
import { type ControlClient, connectControl } from '../../src/control/control-client.ts'
import { type Control, startControl } from '../../src/control/control-server.ts'
import { type ControlVerbs, max_pause_ms } from '../../src/control/control-verbs.ts'
import { controlSocket } from '../../src/ledger/file/state-directory.ts'
import { countOpen, holdConnections } from '../rig/hold-connections.ts'
import { until } from '../rig/waiting.ts'

tmp.setGracefulCleanup()

let state_dir: string
const open: { close(): Promise<void> }[] = []

beforeEach(() => {
  state_dir = tmp.dirSync({ prefix: 'sluice-control-', unsafeCleanup: true }).name
})

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

/** Verbs that record their arguments. */
function recordingVerbs(heard: unknown[], change: Partial<ControlVerbs> = {}): ControlVerbs {
  return {
    ping: async () => ({ pid: 4711, version: '1.2.3', mode: 'run' }),
    rescan: async (where) => void heard.push(['rescan', where]),
    retry: async (where) => void heard.push(['retry', where]),
    accept: async (where) => void heard.push(['accept', where]),
    acceptRemovals: async (where) => void heard.push(['acceptRemovals', where]),
    runPrompt: async (what) => {
      heard.push(['runPrompt', what])
      return { due_ms: 1_700_000_000_123 }
    },
    pause: async (wish) => void heard.push(['pause', wish]),
    resume: async () => void heard.push(['resume']),
    async reload() {
      heard.push(['reload'])
      return { changes: ['1 folder added'], at_next_start: [], unit: ['no folder'] }
    },
    deliverAgain: async (what) => void heard.push(['deliverAgain', what]),
    doubt: async (what) => void heard.push(['doubt', what]),
    async ask(question) {
      heard.push(['ask', question])
      return { chat_id: 'chat_1', answer: 'May', note: null, sources: [] }
    },
    audit: async () => void heard.push(['audit']),
    idle: async () => void heard.push(['idle']),
    ...change,
  }
}

async function serve(verbs: ControlVerbs): Promise<Control> {
  const control = await startControl({ socket: controlSocket(state_dir), verbs })
  open.push(control)
  return control
}

async function connect(): Promise<ControlClient> {
  const client = await connectControl(state_dir)
  if (!client) throw new Error('nobody listens')
  open.push(client)
  return client
}

/** The answer to a request as curl or any other client sends it. */
async function raw(path: string, body: string): Promise<{ status: number; body: unknown }> {
  const timeouts = { connect_ms: 5_000, answer_ms: 5_000, body_ms: 5_000, stall_ms: 5_000 }
  const socket_path = controlSocket(state_dir)
  const http = createHttpClient({
    connections: 1,
    socket_path,
    timeouts,
    max_body_bytes: 10_000,
    clock: system_clock,
  })
  open.push(http)
  const headers = { 'content-type': 'application/json' }
  const answer = await http.request({
    method: 'POST',
    url: new URL(`http://localhost${path}`),
    headers,
    body,
  })
  return { status: answer.status, body: JSON.parse(answer.body) }
}

test('every verb reaches the daemon with its arguments', async () => {
  const heard: unknown[] = []
  await serve(recordingVerbs(heard))
  const client = await connect()
  expect(client.presence).toEqual({ pid: 4711, version: '1.2.3', mode: 'run' })
  expect(await client.ping()).toEqual(client.presence)
  await client.rescan({})
  await client.rescan({ folder: 'notes' })
  await client.retry({ folder: 'notes', path: 'a "b"\n\u{1f4d9}.txt' })
  await client.accept({ folder: 'notes', path: '' })
  expect(await client.runPrompt({ prompt: 'weekly' })).toEqual({ due_ms: 1_700_000_000_123 })
  await client.pause({ by: 'anna', why: 'the line is slow', for_ms: 7_200_000 })
  await client.resume()
  expect(await client.reload()).toEqual({
    changes: ['1 folder added'],
    at_next_start: [],
    unit: ['no folder'],
  })
  await client.deliverAgain({ run: 7, targets: ['mail'] })
  await client.doubt({ about: 'bytes', folder: 'docs', path: 'a' })
  await client.doubt({ about: 'label', content: 7, label: 'team' })
  const question = {
    text: 'When?',
    folders: ['docs'],
    paths: [],
    labels: [],
    within_ms: 60_000,
    chat_id: 'chat_0',
  }
  expect((await client.ask(question)).answer).toBe('May')
  await client.idle()
  expect(heard).toEqual([
    ['rescan', {}],
    ['rescan', { folder: 'notes' }],
    ['retry', { folder: 'notes', path: 'a "b"\n\u{1f4d9}.txt' }],
    ['accept', { folder: 'notes', path: '' }],
    ['runPrompt', { prompt: 'weekly' }],
    ['pause', { by: 'anna', why: 'the line is slow', for_ms: 7_200_000 }],
    ['resume'],
    ['reload'],
    ['deliverAgain', { run: 7, targets: ['mail'] }],
    ['doubt', { about: 'bytes', folder: 'docs', path: 'a' }],
    ['doubt', { about: 'label', content: 7, label: 'team' }],
    ['ask', question],
    ['idle'],
  ])
})

test('only the owner may use the socket', async () => {
  await serve(recordingVerbs([]))
  expect(statSync(controlSocket(state_dir)).mode & 0o777).toBe(0o600)
})

test('idle waits, and other verbs are answered meanwhile', async () => {
  let becomeIdle = () => {}
  const idle = new Promise<void>((resolve) => {
    becomeIdle = resolve
  })
  await serve(recordingVerbs([], { idle: () => idle }))
  const client = await connect()
  let is_idle = false
  const waiting = client.idle().then(() => {
    is_idle = true
  })
  await client.ping()
  await client.ping()
  expect(is_idle).toBe(false)
  becomeIdle()
  await waiting
})

test('the client throws the error of the daemon, without secrets', async () => {
  const retry = async () => {
    throw new SluiceError({
      code: 'database.full',
      message: `no space for pat_${'x'.repeat(32)}`,
      hint: 'free some space',
    })
  }
  const accept = async () => {
    throw new TypeError('by hand')
  }
  await serve(recordingVerbs([], { retry, accept }))
  const client = await connect()
  await expect(client.retry({ folder: 'a', path: 'b' })).rejects.toMatchObject({
    code: 'database.full',
    message: 'no space for pat_***',
    hint: 'free some space',
  })
  await expect(client.accept({ folder: 'a', path: 'b' })).rejects.toMatchObject({
    code: 'internal.unexpected',
    message: 'by hand',
  })
})

test('no daemon listens: no socket, one of a dead process, or a closed one', async () => {
  expect(await connectControl(state_dir)).toBeUndefined()
  leaveStaleSocket()
  expect(existsSync(controlSocket(state_dir))).toBe(true)
  expect(await connectControl(state_dir)).toBeUndefined()
  const control = await serve(recordingVerbs([]))
  await connect()
  await control.close()
  expect(existsSync(controlSocket(state_dir))).toBe(false)
  expect(await connectControl(state_dir)).toBeUndefined()
})

/** Leaves what kill -9 leaves: the file of a socket without a process behind it. */
function leaveStaleSocket(): void {
  const script = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`
  spawnSync(process.execPath, ['-e', script, controlSocket(state_dir)])
}

test('a stale socket is replaced', async () => {
  leaveStaleSocket()
  await serve(recordingVerbs([]))
  expect((await connect()).presence.pid).toBe(4711)
})

test('a daemon that ends before its answer is reported as such', async () => {
  let asked = () => {}
  const is_asked = new Promise<void>((resolve) => {
    asked = resolve
  })
  const idle = () => {
    asked()
    return new Promise<void>(() => {})
  }
  const control = await serve(recordingVerbs([], { idle }))
  const lost = expect((await connect()).idle()).rejects.toMatchObject({ code: 'control.lost' })
  await is_asked
  await control.close()
  await lost
})

test('another program that listens there is an error', async () => {
  const server = createServer((_request, response) => void response.writeHead(503).end('<html>'))
  await new Promise<void>((resolve) => server.listen(controlSocket(state_dir), resolve))
  open.push({ close: () => new Promise((resolve) => void server.close(() => resolve())) })
  await expect(connectControl(state_dir)).rejects.toMatchObject({
    code: 'control.failed',
    message: 'the daemon answered ping with status 503',
  })
})

test.each([
  ['/v1/retry', '{"folder":"a"}', 400, 'control.body'],
  ['/v1/retry', '{"folder":1,"path":""}', 400, 'control.body'],
  ['/v1/accept', '[]', 400, 'control.body'],
  ['/v1/accept', 'null', 400, 'control.body'],
  ['/v1/rescan', '{"folder":{}}', 400, 'control.body'],
  ['/v1/run-prompt', '{}', 400, 'control.body'],
  ['/v1/pause', '{"by":"anna","for_ms":"2h"}', 400, 'control.body'],
  ['/v1/pause', '{}', 400, 'control.body'],
  ['/v1/pause', '{"by":"anna","for_ms":0}', 400, 'control.body'],
  ['/v1/pause', '{"by":"anna","for_ms":1.5}', 400, 'control.body'],
  ['/v1/pause', `{"by":"anna","for_ms":${max_pause_ms + 1}}`, 400, 'control.body'],
  ['/v1/deliver-again', '{"run":1}', 400, 'control.body'],
  ['/v1/deliver-again', '{"run":"1","targets":[]}', 400, 'control.body'],
  ['/v1/doubt', '{"about":"everything"}', 400, 'control.body'],
  ['/v1/doubt', '{"about":"label","content":1.5,"label":"team"}', 400, 'control.body'],
  ['/v1/rescan', '{', 400, 'http.body_invalid'],
  ['/v1/rescan', JSON.stringify({ folder: 'x'.repeat(40_000) }), 400, 'http.body_too_large'],
  ['/v1/stop', '{}', 400, 'http.path_unknown'],
])('%s with %.30s is refused', async (path, body, status, code) => {
  const heard: unknown[] = []
  await serve(recordingVerbs(heard))
  expect(await raw(path, body)).toMatchObject({ status, body: { code } })
  expect(heard).toEqual([])
})

test.each([
  ['/v1/rescan', '{"folder":"attic"}', 'usage.folder'],
  ['/v1/run-prompt', '{"prompt":"yearly"}', 'usage.prompt'],
  ['/v1/deliver-again', '{"run":99,"targets":["mail"]}', 'usage.run'],
  ['/v1/doubt', '{"about":"label","content":99,"label":"team"}', 'usage.content'],
])('%s with %s, which does not exist: 404', async (path, body, code) => {
  const nothing = async () => {
    throw new SluiceError({ code, message: 'the daemon knows no such thing' })
  }
  await serve(
    recordingVerbs([], {
      rescan: nothing,
      runPrompt: nothing,
      deliverAgain: nothing,
      doubt: nothing,
    }),
  )
  expect(await raw(path, body)).toMatchObject({ status: 404, body: { code } })
})

test('a rescan without a body is one of all folders', async () => {
  const heard: unknown[] = []
  await serve(recordingVerbs(heard))
  expect(await raw('/v1/rescan', '')).toEqual({ status: 200, body: {} })
  expect(heard).toEqual([['rescan', {}]])
})

test('accepts the longest pause', async () => {
  const heard: unknown[] = []
  await serve(recordingVerbs(heard))
  await (await connect()).pause({ by: 'anna', for_ms: max_pause_ms })
  expect(heard).toEqual([['pause', { by: 'anna', for_ms: max_pause_ms }]])
})

test('a slow verb is reported as continuing; a silent daemon is an error', async () => {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const reload = async () => {
    await ended
    return { changes: [], at_next_start: [], unit: [] }
  }
  const control = await serve(recordingVerbs([], { reload }))
  const client = await connectControl(state_dir, { answer_ms: 200 })
  open.push(client!)
  await expect(client!.reload()).rejects.toMatchObject({
    code: 'control.still_at_work',
    message: 'the daemon accepted reload, and is still working on it after 0.2 s',
    hint: expect.stringContaining('goes on by itself'),
  })
  end()
  await control.close()

  await serve(recordingVerbs([], { ping: () => new Promise(() => {}) }))
  await expect(connectControl(state_dir, { answer_ms: 200 })).rejects.toMatchObject({
    code: 'control.unreachable',
  })
})

test('a state directory whose path is too long for a socket is a configuration fault', async () => {
  const long = join(state_dir, 'x'.repeat(100))
  mkdirSync(long)
  const socket = controlSocket(long)
  await expect(startControl({ socket, verbs: recordingVerbs([]) })).rejects.toMatchObject({
    code: 'config.state_dir',
  })
})

test('silent connections keep nobody out, and end no call that waits', async () => {
  let finish = () => {}
  const idle = () =>
    new Promise<void>((resolve) => {
      finish = resolve
    })
  await serve(recordingVerbs([], { idle }))
  const waiting = (await connect()).idle()
  const sockets = await holdConnections({ path: controlSocket(state_dir) }, 300)
  await until('the others are closed', () => countOpen(sockets) <= 100)
  expect((await connect()).presence.pid).toBe(4711)
  finish()
  await waiting
})
