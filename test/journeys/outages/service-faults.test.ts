import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { minute_ms } from '../../../src/base/time/time.ts'
import { openHealthView } from '../../../src/ledger/views/view-health.ts'
import type { ProfileName } from '../../../src/service/options.ts'
import { healthOf } from '../../../src/status/health/health.ts'
import { healthFacts } from '../../../src/status/health/health-facts.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { begin, fullOrPart, type Journey, localJourneys } from '../rig/harness.ts'
import { type Answer, type Change, startInBetween } from '../rig/in-between.ts'
import type { Fields } from '../rig/quick-config.ts'

const no_such_asset: Answer = {
  status: 404,
  body: { code: 'publicapi.asset.not_found', humane: 'There is no such asset.', statusCode: 404 },
}
/** The default rests of the configuration. */
const documented = { uploads: { retry_first_ms: 1_000, max_retry_ms: 5 * minute_ms } }

function files(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`docs/${index}.txt`, `text ${index}`]),
  )
}

/** `complete` answers 404 for every asset whose file name matches. */
function completeUnknown(isSick: (filename: string) => boolean): Change {
  const names = new Map<unknown, string>()
  return {
    instead({ path }) {
      const name = names.get(/^\/v1\/assets\/(\w+)\/complete$/.exec(path)?.[1])
      return name !== undefined && isSick(name) ? no_such_asset : undefined
    },
    changed({ method, path, body }, { body: made }) {
      if (method === 'POST' && path === '/v1/assets')
        names.set(made.asset_id, String(body?.filename))
      return undefined
    },
  }
}

/** Changes the answers to requests for a slot. */
function slotsWith(fields: (slot: Fields) => Fields | undefined): Change {
  return {
    changed({ method, path }, { status, body }) {
      const changed = method === 'POST' && path === '/v1/assets' ? fields(body) : undefined
      return changed && { status, body: { ...body, ...changed } }
    },
  }
}

/**
 * Requests for a slot if the first slot is given up. The hosted service answers the second request
 * with that same slot, because its bytes never arrived.
 */
function slotsAfterOne(profile: ProfileName): number {
  return profile === 'hosted' ? 3 : 2
}

async function startBehind(journey: Journey, change: Change): Promise<void> {
  const { address } = await startInBetween(journey.service.api, change)
  await journey.start({ service: { base_url: address } })
}

localJourneys('a fault of the service that lasts seconds refuses no file', (profile) => {
  test('complete does not know the slot, twice: the bytes are not sent again', async () => {
    const failure = {
      route: 'assets.complete',
      status: 404,
      code: 'publicapi.asset.not_found',
      times: 2,
    } as const
    const journey = await begin({
      profile,
      tree: files(1),
      service: { injected_faults: { failures: [failure] } },
    })
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: 1, puts: 1 })
  })

  test('complete does not know the slot, three times: a new slot', async () => {
    const failure = {
      route: 'assets.complete',
      status: 404,
      code: 'publicapi.asset.not_found',
      times: 3,
    } as const
    const journey = await begin({
      profile,
      tree: files(1),
      service: { injected_faults: { failures: [failure] } },
    })
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: slotsAfterOne(profile), puts: 2 })
    journey.ends({ half_sent: true })
  })

  test('the store answers 2xx before all bytes are sent, twice: they are sent again', async () => {
    const failure = { route: 'put', status: 200, times: 2, body: 'empty' } as const
    // More than the buffers of both sockets hold.
    const tree = { 'docs/large.txt': 'a line of a large text\n'.repeat(1_000_000) }
    const service = { injected_faults: { failures: [failure] }, ingest: { text_length: 2 ** 25 } }
    const journey = await begin({ profile, tree, service })
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: 1, puts: 3 })
  })

  test('two invalid answers', async () => {
    const failure = { route: 'assets.create', status: 302, times: 2, body: 'html' } as const
    const journey = await begin({
      profile,
      tree: files(1),
      service: { injected_faults: { failures: [failure] } },
    })
    await journey.allReady()
  })

  test('an asset that is missing again and again during its ingest does not count as removed', async () => {
    const clock = new MovingClock()
    const ingest = { delay_ms: 10 * minute_ms }
    const journey = await begin({ profile, tree: files(1), clock, service: { clock, ingest } })
    await journey.stage('docs/0.txt', 'ingesting')
    const failure = {
      route: 'assets.read',
      status: 404,
      code: 'publicapi.asset.not_found',
      times: 6,
    } as const
    journey.service.injectFaults({ failures: [failure] })
    await journey.until('it was asked for after that', () => {
      return journey.requests('assets.read').filter(({ status }) => status === 404).length === 6
    })
    // The time of the last of these answers counts, so it must not come after the skip.
    await journey.until(
      'it is found again',
      () => journey.requests('assets.read').at(-1)?.status === 200,
    )
    clock.skip(ingest.delay_ms)
    await journey.allReady()
    expect(journey.requests('put')).toHaveLength(1)
  })
})

localJourneys('a fault that several contents meet is a fault of the service', (profile) => {
  test('complete knows no slot: uploads rest, no file counts a failure, and one probe goes out at a time', async () => {
    const clock = new MovingClock({ times: 10 })
    const journey = await begin({
      profile,
      tree: { 'docs/first.txt': 'first' },
      clock,
      service: { clock },
    })
    await journey.allReady()
    const failure = {
      route: 'assets.complete',
      status: 404,
      code: 'publicapi.asset.not_found',
    } as const
    journey.service.injectFaults({ failures: [failure] })
    journey.write(files(30))
    await journey.until('it is reported', () =>
      journey.troubles().some(({ about }) => about === 'uploads'),
    )
    const [trouble] = journey.troubles()
    expect(trouble).toMatchObject({ code: 'publicapi.asset.not_found' })
    expect(trouble!.message).toMatch(/answered 404/)
    const before = journey.requests('assets.complete').length
    await journey.until(
      'it is tried again',
      () => journey.requests('assets.complete').length >= before + 4,
    )
    // These failed before the third one did.
    expect(
      journey.files().filter(({ error_code }) => error_code !== null).length,
    ).toBeLessThanOrEqual(2)
    expect(Object.values(journey.stages())).not.toContain('refused')
    journey.service.injectFaults({ failures: [] })
    await journey.allReady()
    expect(journey.troubles()).toEqual([])
    // A slot that `complete` did not know three times was given up with its bytes.
    journey.ends({ half_sent: true })
  })

  test('a content with a fault of its own is not the only probe: another one ends the trouble', async () => {
    const clock = new MovingClock({ times: 10 })
    const journey = await begin(
      { profile, tree: files(2), clock, service: { clock } },
      'not started',
    )
    let all_are_sick = true
    await startBehind(
      journey,
      completeUnknown((name) => all_are_sick || name === 'docs/sick.txt'),
    )
    journey.write({ 'docs/sick.txt': 'always unknown', 'docs/other.txt': 'unknown for a while' })
    await journey.until('it is reported', () =>
      journey.troubles().some(({ about }) => about === 'uploads'),
    )
    all_are_sick = false
    journey.write({ 'docs/late.txt': 'as it should be' })
    await journey.stage('docs/late.txt', 'ready')
    await journey.until('the others follow in new slots', () => {
      const { 'docs/sick.txt': sick, ...others } = journey.stages()
      return Object.values(others).every((stage) => stage === 'ready') && sick !== 'refused'
    })
    expect(journey.troubles()).toEqual([])
    journey.ends({ left_out: ['docs/sick.txt'], half_sent: true })
  })

  test('one content whose complete always fails among many: refused after 10 to 20 minutes, and no circuit opens', async () => {
    const clock = new MovingClock()
    const began_ms = performance.now()
    const options = {
      profile,
      tree: files(fullOrPart(200, 40)),
      clock,
      service: { clock },
      config: documented,
    }
    const journey = await begin(options, 'not started')
    journey.write({ 'docs/sick.txt': 'always unknown' })
    journey.ends({ left_out: ['docs/sick.txt'], half_sent: true })
    await startBehind(
      journey,
      completeUnknown((name) => name === 'docs/sick.txt'),
    )
    await journey.allReady()
    const after_ms = await failsUntilRefused(journey, 'docs/sick.txt', clock)
    expect(after_ms).toBeGreaterThanOrEqual(10 * minute_ms)
    // The clock also moves by itself. A busy machine needs time for each try.
    const busy_ms = performance.now() - began_ms
    expect(after_ms - busy_ms).toBeLessThanOrEqual(20 * minute_ms)
    expect(journey.troubles()).toEqual([])
    expect(journey.log().filter((line) => /"about":"(api|blob|uploads)"/.test(line))).toEqual([])
    const sick = journey.file('docs/sick.txt')!
    expect(sick).toMatchObject({ stage: 'refused', error_code: 'gave_up' })
    expect(sick.error_message).toMatch(
      /^given up after \d+ tries in [1-9]\d min.*: the service answered 404/,
    )
  })
})

localJourneys('a ticket that does not work', (profile) => {
  test('no server at its host: a new slot after three failures', async () => {
    const clock = new MovingClock({ times: 10 })
    const journey = await begin(
      { profile, tree: files(1), clock, service: { clock } },
      'not started',
    )
    let made = 0
    const elsewhere = ({ upload_url }: Fields) => {
      if (made++ > 0) return undefined
      const url = new URL(String(upload_url))
      // No server listens on port 1.
      url.port = '1'
      return { upload_url: url.href }
    }
    await startBehind(journey, slotsWith(elsewhere))
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: slotsAfterOne(profile), puts: 1 })
    expect(journey.file('docs/0.txt')?.stage).toBe('ready')
  })

  test('a ticket of 4 MB is not stored: the file waits, and the next slot gets its bytes', async () => {
    const clock = new MovingClock({ times: 10 })
    const journey = await begin(
      { profile, tree: files(6), clock, service: { clock } },
      'not started',
    )
    let is_large = true
    const headers = { 'x-signed': 'SECRET'.repeat(700_000) }
    await startBehind(
      journey,
      slotsWith(() => (is_large ? { upload_headers: headers } : undefined)),
    )
    await journey.until('it is said', () =>
      journey.files().some(({ error_code }) => error_code !== null),
    )
    const { error_code, error_message } = journey.files().find((file) => file.error_code !== null)!
    expect(error_code).toBe('unknown_protocol')
    expect(error_message).toMatch(/upload_url and upload_headers have 4,200,\d{3} bytes/)
    expect(Object.values(journey.stages())).not.toContain('refused')
    expect(stateBytes(journey)).toBeLessThan(1_000_000)
    is_large = false
    await journey.allReady()
    expect(journey.log().join('')).not.toContain('SECRET')
  })
})

localJourneys('upload headers that cannot be sent', (profile) => {
  test('B-31 all slots have one: every file waits, the trouble names the header, and later all become ready', async () => {
    const clock = new MovingClock({ times: 10 })
    const journey = await begin(
      { profile, tree: files(5), clock, service: { clock } },
      'not started',
    )
    let is_odd = true
    const odd = ({ upload_headers }: Fields) => ({
      ...(upload_headers as Fields),
      'Transfer-Encoding': 'SECRET',
    })
    await startBehind(
      journey,
      slotsWith((slot) => (is_odd ? { upload_headers: odd(slot) } : undefined)),
    )
    await journey.until('a trouble is recorded', () => journey.troubles().length > 0)
    const [trouble] = journey.troubles()
    expect(trouble).toMatchObject({
      about: 'uploads',
      message: expect.stringContaining('header Transfer-Encoding of'),
    })
    clock.skip(60 * minute_ms)
    await journey.until('a later try failed', () => journey.requests('assets.create').length > 6)
    expect(Object.values(journey.stages())).not.toContain('refused')
    expect(journey.requests('put')).toEqual([])
    is_odd = false
    await journey.allReady()
    await journey.until('it is resolved', () => journey.troubles().length === 0)
    expect(journey.log().join('')).not.toContain('SECRET')
  })

  test('B-31 one file has one: it is never refused, health names the header, and the others are ready', async () => {
    const clock = new MovingClock()
    const retried = { ...documented, uploads: { ...documented.uploads, max_attempts: 3 } }
    const journey = await begin(
      { profile, tree: files(3), clock, service: { clock }, config: retried },
      'not started',
    )
    let is_odd = true
    await startBehind(journey, {
      changed({ method, path, body }, { status, body: slot }) {
        if (
          !is_odd ||
          method !== 'POST' ||
          path !== '/v1/assets' ||
          body?.filename !== 'docs/1.txt'
        )
          return undefined
        return {
          status,
          body: {
            ...slot,
            upload_headers: { ...(slot.upload_headers as Fields), 'Content-Length': '3' },
          },
        }
      },
    })
    const name = 'docs/1.txt'
    for (let tries = 1; tries < 8; tries++) {
      await journey.until('it is tried', () => {
        const { error_code, attempts } = journey.file(name) ?? {}
        return error_code === 'upload_header' && (attempts ?? 0) >= tries
      })
      clock.skip(6 * minute_ms)
    }
    expect(journey.stages()).toMatchObject({ 'docs/0.txt': 'ready', 'docs/2.txt': 'ready' })
    expect(journey.stages()[name]).not.toBe('refused')
    await journey.until('health says it', () =>
      problemsOf(journey, clock).some((message) =>
        /1\.txt has failed .* header Content-Length of /.test(message),
      ),
    )
    is_odd = false
    await journey.allReady()
  })
})

function problemsOf(journey: Journey, clock: MovingClock): string[] {
  const config = journey.config()
  const view = openHealthView(config.state_dir)
  try {
    return healthOf(healthFacts(view, config, clock.now_ms()), config.health).problems.map(
      ({ message }) => message,
    )
  } finally {
    view.close()
  }
}

function stateBytes(journey: Journey): number {
  const names = ['tickets.db', 'tickets.db-wal']
  return names.reduce(
    (sum, name) =>
      sum + (statSync(join(journey.home, 'state', name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}

/**
 * Skips to each next try of a file until it is refused; returns how long it had failed by the
 * clock.
 */
async function failsUntilRefused(
  journey: Journey,
  name: string,
  clock: MovingClock,
): Promise<number> {
  for (;;) {
    const before = journey.file(name)!
    if (before.stage === 'refused') return clock.now_ms() - before.failing_since_ms!
    clock.skip(Math.max(0, before.not_before_ms! - clock.now_ms()))
    await journey.until('the next try failed', () => {
      const { stage, attempts } = journey.file(name)!
      return stage === 'refused' || attempts !== before.attempts
    })
  }
}
