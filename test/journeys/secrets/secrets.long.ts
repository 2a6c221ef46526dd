import { readdirSync, readFileSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../../rig/local-service.ts'
import { makeStore } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'
import { type Ended, SluiceHome } from '../bad-input/sluice-home.ts'
import { type Instead, RecordingProxy } from './recording-proxy.ts'

/** The name of a file. It is no secret, so the search must find it, or the search does not work. */
const planted = 'planted-control-string-5f1c.txt'
const late = `late-${planted}`
const base64 = (text: string) => Buffer.from(text).toString('base64')

let service: Service
let proxy: RecordingProxy
const service_log: string[] = []
const tokens: string[] = []
/** All outputs, by their source. */
const said = new Map<string, string>()

beforeAll(async () => {
  service = await startService({ data_dir: makeStore(), log: (line) => service_log.push(line) })
  proxy = new RecordingProxy(service)
  await proxy.listen()
})

afterAll(async () => {
  await proxy.close()
  await service.close()
})

function note(who: string, text: string): void {
  said.set(who, (said.get(who) ?? '') + text)
}

function newToken(home: SluiceHome): string {
  const { token } = service.tokens.create(`token ${tokens.length}`)
  tokens.push(token)
  home.giveToken(token)
  return token
}

async function command(
  home: SluiceHome,
  words: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const ended = await home.sluice(words, { env })
  note(`sluice ${words.join(' ')}`, ended.out + ended.err)
  return ended
}

/**
 * Runs the command in this process: commands that read write no log, and starting two dozen of them
 * takes many seconds.
 */
async function commandHere(home: SluiceHome, words: string[]): Promise<Ended> {
  const ended = await home.inProcess([...words, '--config', home.at('sluice.yaml')])
  note(`sluice ${words.join(' ')}`, ended.out + ended.err)
  return ended
}

/**
 * Runs every command that reads the state: in processes of their own with a token in the
 * environment, and in this process; as JSON and as text.
 */
async function readState(home: SluiceHome): Promise<void> {
  const commands = [
    ['status'],
    ['ls'],
    ['explain', `docs/${planted}`],
    ['explain', 'docs/echoed.txt'],
    ['plan'],
    ['config'],
  ]
  for (const words of commands) {
    await Promise.all([
      commandHere(home, words),
      command(home, [...words, '--json'], { SLUICE_TOKEN: tokens[0] }),
    ])
  }
}

/** The answers of the control socket, even to invalid requests. */
async function askSocket(
  home: SluiceHome,
  method: string,
  path: string,
  body?: string,
): Promise<void> {
  const answer = await new Promise<string>((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      ...(body === undefined ? {} : { 'content-length': body.length }),
    }
    const asked = request(
      { socketPath: home.at('state/control.sock'), method, path, headers, agent: false },
      (response) => {
        let text = `${response.statusCode} `
        response.on('data', (chunk) => {
          text += String(chunk)
        })
        response.on('end', () => resolve(text))
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
  note(`socket ${path}`, answer)
}

/** The bytes of the ledger on the disk, with its write-ahead log. */
function readLedger(home: SluiceHome, when: string): void {
  for (const name of readdirSync(home.at('state'))) {
    if (name.startsWith('ledger.db'))
      note(`${name} ${when}`, readFileSync(home.at(`state/${name}`), 'latin1'))
  }
}

const stage = (home: SluiceHome, path: string) => home.stages()[path]

function error(status: number, code: string, humane: string): Instead {
  return {
    status,
    type: 'application/json',
    body: JSON.stringify({ code, humane, statusCode: status }),
  }
}

test('no token, signed URL or upload header is found after all these faults; a planted string is', async () => {
  const home = new SluiceHome({ [planted]: 'the first file', 'other.txt': 'the second' })
  const project_id = home.use(service, {
    service: { base_url: proxy.api },
    uploads: { concurrency: 2, max_attempts: 4 },
    top: { log: { level: 'trace', files_per_second: 1000 } },
  })
  let token = newToken(home)
  expect((await command(home, ['sync'])).code).toBe(0)

  // A crash in the middle of an upload, and the files that it leaves.
  const crashed = home.start(['run'])
  let held = false
  proxy.onBlob = () => {
    held = true
    crashed.child.kill('SIGKILL')
    return undefined
  }
  home.write({ 'crash.txt': 'in flight when the process was killed' })
  await until('an upload was under way', () => held)
  const killed = await crashed.ended
  note('the killed daemon', killed.out + killed.err)
  readLedger(home, 'after the kill')
  proxy.onBlob = () => undefined

  const daemon = home.start(['run'])
  await until(
    'the crashed upload is ready',
    () => stage(home, 'crash.txt') === 'ready',
    () => [home.stages(), daemon.err().slice(-1500)],
  )

  // The blob store refuses, and repeats the whole request in its answer.
  for (const status of [403, 500]) {
    let times = 0
    proxy.onBlob = (secrets) =>
      times++ > 0
        ? undefined
        : {
            status,
            type: 'application/xml',
            body: `<Error><Code>AuthenticationFailed</Code><Message>${secrets}</Message></Error>`,
          }
    home.write({ [`blob-${status}.txt`]: `the blob store answered ${status}` })
    await until(
      `ready after ${status}`,
      () => stage(home, `blob-${status}.txt`) === 'ready',
      () => [home.stages(), daemon.err().slice(-1500)],
    )
  }

  // The service repeats the token and the address of the upload in its messages, in several forms.
  proxy.onApi = (call, secrets) =>
    call === 'POST /v1/assets'
      ? error(
          400,
          'publicapi.request.malformed',
          `Bad request by ${token} (X-API-Key: ${token}), see ${secrets.split(' {')[0]}`,
        )
      : undefined
  home.write({ 'echoed.txt': 'refused, with an echo' })
  await until(
    'the echo is refused',
    () => stage(home, 'echoed.txt') === 'refused',
    () => [home.stages(), daemon.err().slice(-1500)],
  )
  proxy.onApi = (call, secrets) =>
    call.endsWith('/complete')
      ? error(400, 'publicapi.request.malformed', `${token}: ${secrets.slice(-200)}`)
      : undefined
  home.write({ 'completed.txt': 'completed, with an echo' })
  await until(
    'the echo is deferred, and deferred again',
    () => daemon.err().split('deferred: docs/completed.txt').length > 2,
    () => [home.stages(), daemon.err().slice(-1500)],
  )
  proxy.onApi = () => undefined

  // The token is refused, and repeated in the message; the daemon loads a new one.
  proxy.onApi = () => error(401, 'publicapi.auth.invalid', `The key ${token} was revoked`)
  home.write({ [late]: 'while the token was revoked' })
  await until(
    'the account is in trouble',
    () => /"about":"account"/.test(daemon.err()),
    () => [home.stages(), daemon.err().slice(-1500)],
  )
  await readState(home)
  proxy.onApi = () => undefined
  token = newToken(home)
  await until(
    'ready with the new token',
    () => stage(home, late) === 'ready',
    () => [home.stages(), daemon.err().slice(-1500)],
  )

  await askSocket(home, 'GET', '/v1/ping')
  await askSocket(home, 'POST', '/v1/rescan', '{"folder":"nowhere"}')
  await askSocket(home, 'POST', '/v1/retry', '{"folder":7}')
  await askSocket(home, 'POST', '/v1/accept', `{"folder":"docs","path":"${planted}"`)
  await askSocket(home, 'GET', '/v1/nothing')
  readLedger(home, 'while it runs')
  expect((await command(home, ['retry', 'docs/echoed.txt', 'docs/completed.txt'])).code).toBe(0)
  await until(
    'the echoed one is ready at last',
    () => stage(home, 'echoed.txt') === 'ready',
    () => [home.stages(), daemon.err().slice(-1500)],
  )
  await until(
    'and the completed one',
    () => stage(home, 'completed.txt') === 'ready',
    () => [home.stages(), daemon.err().slice(-1500)],
  )
  daemon.child.kill('SIGTERM')
  const stopped = await daemon.ended
  expect(stopped.code, stopped.err).toBe(0)
  note('the daemon', stopped.out + stopped.err)

  // A host without a valid certificate gets nothing.
  home.configure({ service: { base_url: proxy.tls, project_id }, top: { log: { level: 'trace' } } })
  home.write({ 'tls.txt': 'not over this line' })
  const untrusted = home.start(['sync'])
  await until(
    'the certificate is refused',
    () => /no trusted connection/.test(untrusted.err()),
    untrusted.err,
  )
  untrusted.child.kill('SIGINT')
  const refused = await untrusted.ended
  note('sluice sync over TLS', refused.out + refused.err)
  expect(refused.code, refused.err).toBe(3)
  await readState(home)

  readLedger(home, 'at the end')
  for (const name of readdirSync(home.at('state'))) {
    if (name.startsWith('tickets.db'))
      note(`${name} after a clean close`, readFileSync(home.at(`state/${name}`), 'latin1'))
  }
  note('the service', service_log.join('\n'))
  expect(proxy.uploads).toBeGreaterThanOrEqual(7)
  expect(service.blobFaults.count).toBe(0)

  expectNoSecrets()
  expectPrivate(home.at('state'))
}, 120_000)

function expectNoSecrets(): void {
  const secrets = [...tokens, ...tokens.map(base64), ...proxy.handed_out]
  // There are at least nine uploads with four secrets each, and the tokens.
  expect(secrets.length).toBeGreaterThan(30)
  const found = [...said].flatMap(([who, text]) =>
    secrets
      .filter((secret) => text.includes(secret))
      .map((secret) => `${who} holds ${secret}: ${around(text, secret)}`),
  )
  expect(found).toEqual([])
  // The same search finds the planted string in every kind of place.
  const with_control = [...said].filter(([, text]) => text.includes(planted)).map(([who]) => who)
  for (const who of [
    'the daemon',
    'sluice sync',
    'sluice ls',
    'sluice ls --json',
    'ledger.db at the end',
  ]) {
    expect(with_control).toContain(who)
  }
  expect([...said.keys()].filter((who) => who.startsWith('ledger.db-wal'))).not.toEqual([])
}

function around(text: string, secret: string): string {
  const at = text.indexOf(secret)
  return text.slice(Math.max(0, at - 200), at + 100)
}

function expectPrivate(state_dir: string): void {
  expect(statSync(state_dir).mode & 0o777).toBe(0o700)
  const names = readdirSync(state_dir)
  expect(names).toEqual(expect.arrayContaining(['ledger.db', 'lock.db', 'tickets.db']))
  for (const name of names) expect(statSync(join(state_dir, name)).mode & 0o077, name).toBe(0)
}
