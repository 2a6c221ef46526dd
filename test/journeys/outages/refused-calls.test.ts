import { expect, test } from 'vitest'
import { day_ms } from '../../../src/base/time/time.ts'
import type { Failure } from '../../../src/service/fault-injection.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'
import { type Answer, startInBetween } from '../rig/in-between.ts'

const labelled = { docs: { labels: ['team'] } }

const slow_retries = { uploads: { retry_first_ms: 1_000, max_retry_ms: day_ms } }

const no_right: Answer = {
  status: 403,
  body: { code: 'content.right.missing', humane: 'Not this one.', statusCode: 403 },
}

const too_large: Answer = {
  status: 413,
  body: { code: 'asset.size.exceeded', humane: 'Notes are too large.', statusCode: 413 },
}

function files(count: number, type = 'txt'): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `docs/${type}${index}.${type}`,
      `${type} ${index}`,
    ]),
  )
}

function count(journey: Journey, stage: string): number {
  return journey.files().filter((file) => file.stage === stage).length
}

const refusing = (
  route: Exclude<Failure['route'], undefined>,
  status: number,
  code = 'plan.quota.exceeded',
) => ({ failures: [{ route, status, code }] })

localJourneys('a refused label stands alone', (profile) => {
  test.each([
    [402, 'billing.plan.exceeded'],
    [403, 'labels.right.missing'],
    [404, 'publicapi.route.not_found'],
    [404, 'labels.some.reason'],
  ])(
    'A-39 %i %s: files go on, one project rests its labels, a pass ends at once',
    async (status, code) => {
      const service = { injected_faults: refusing('assets.attach_label', status, code) }
      const journey = await begin({
        profile,
        folders: labelled,
        tree: files(70),
        mode: 'once',
        service,
      })
      expect(await journey.drained()).toEqual({ why: 'done' })
      expect(count(journey, 'ready')).toBe(70)
      expect(journey.requests('assets.attach_label').length).toBeLessThanOrEqual(8)
      expect(journey.troubles()).toMatchObject([{ about: `labels:${journey.project_id}` }])
      expect(journey.troubles()[0]!.message).toContain(`answered ${status}`)
      expect(journey.log().join('')).not.toMatch(/renew|uploads nothing/)
    },
  )

  test('the trouble outlives a restart; after a day or a retry the labels are attached', async () => {
    const clock = new MovingClock()
    const service = { clock, injected_faults: refusing('assets.attach_label', 403) }
    const journey = await begin({ profile, folders: labelled, tree: files(3), clock, service })
    await journey.until('it is refused', () => journey.troubles().length > 0)
    await journey.restart()
    await journey.allReady()
    expect(journey.troubles()).toMatchObject([{ about: `labels:${journey.project_id}` }])
    journey.service.injectFaults({ failures: [] })
    clock.skip(day_ms)
    const attached = () =>
      journey.requests('assets.attach_label').filter(({ status }) => status < 300)
    await journey.until('all are attached', () => attached().length === 3)
    await journey.until('it is resolved', () => journey.troubles().length === 0)

    journey.service.injectFaults(refusing('assets.attach_label', 403))
    journey.write({ 'docs/later.txt': 'later' })
    await journey.until('it is refused again', () => journey.troubles().length > 0)
    journey.service.injectFaults({ failures: [] })
    await journey.retry('docs')
    await journey.until('the last is attached', () => attached().length === 4)
  })

  test('a pass does not wait for labels that the service cannot take now', async () => {
    const service = { injected_faults: refusing('assets.attach_label', 500) }
    const options = { profile, folders: labelled, tree: files(6), service }
    const journey = await begin({ ...options, mode: 'once' })
    expect(await journey.drained()).toEqual({ why: 'done' })
    expect(count(journey, 'ready')).toBe(6)
    expect(journey.troubles()).toMatchObject([{ about: `labels:${journey.project_id}` }])
    // The tries before three failed alike, and those that were under way.
    expect(journey.requests('assets.attach_label').length).toBeLessThanOrEqual(8)
  })

  test('the trouble ends once no label is wanted, also after a restart', async () => {
    const service = { injected_faults: refusing('assets.attach_label', 403) }
    const journey = await begin({ profile, folders: labelled, tree: files(3), service })
    await journey.until('it is refused', () => journey.troubles().length > 0)
    await journey.restart()
    await journey.allReady()
    expect(journey.troubles()).toHaveLength(1)
    await journey.restart({ folders: { docs: { labels: [] } } })
    await journey.until('it is resolved', () => journey.troubles().length === 0)
  })

  test('the trouble ends once no label is wanted', async () => {
    const service = { injected_faults: refusing('assets.attach_label', 403) }
    const journey = await begin({ profile, folders: labelled, tree: files(3), service })
    await journey.until('it is refused', () => journey.troubles().length > 0)
    await journey.allReady()
    await journey.reload({ folders: { docs: { labels: [] } } })
    await journey.until('it is resolved', () => journey.troubles().length === 0)
  })
})

localJourneys('refused uploads of a project', (profile) => {
  test.each([402, 403])(
    'A-40 %i on create: its words, never the token; no file changes',
    async (status) => {
      const clock = new MovingClock({ times: 10 })
      const journey = await begin({
        profile,
        tree: { 'docs/a.txt': 'a' },
        clock,
        service: { clock },
      })
      await journey.allReady()
      journey.service.injectFaults(refusing('assets.create', status))
      journey.write(files(8))
      await journey.until('it is reported', () => journey.troubles().length > 0)
      expect(journey.troubles()).toMatchObject([
        { about: `uploads:${journey.project_id}`, code: 'plan.quota.exceeded' },
      ])
      expect(journey.troubles()[0]!.message).toMatch(/fault injection of the local service/)
      const before = journey.requests('assets.create').length
      await journey.until(
        'it is tried again',
        () => journey.requests('assets.create').length > before,
      )
      const untried = journey
        .files()
        .filter(({ stage }) => stage === 'wanted' || stage === 'reserving')
      expect(untried.filter(({ attempts }) => attempts === 0)).toHaveLength(8)
      expect(journey.log().join('')).not.toMatch(/renew/)
      journey.service.injectFaults({ failures: [] })
      await journey.allReady()
      expect(journey.troubles()).toEqual([])
    },
  )

  test.each(['create', 'complete'] as const)(
    'A-40 one content alone at %s: it waits longer each time with its error, and others go on',
    async (step) => {
      const clock = new MovingClock({ times: 10 })
      const options = { profile, clock, service: { clock }, config: slow_retries }
      const journey = await begin({ ...options, tree: files(3) }, 'not started')
      const names = new Map<unknown, unknown>()
      let is_refused = true
      const { address } = await startInBetween(journey.service.api, {
        instead({ path, body }) {
          const id = /^\/v1\/assets\/(\w+)\/complete$/.exec(path)?.[1]
          const name = step === 'create' ? body?.filename : names.get(id)
          return is_refused && String(name).endsWith('secret.txt') ? no_right : undefined
        },
        changed({ method, path, body }, { body: made }) {
          if (method === 'POST' && path === '/v1/assets') names.set(made.asset_id, body?.filename)
          return undefined
        },
      })
      await journey.start({ service: { base_url: address } })
      await journey.allReady()
      journey.write({ 'docs/secret.txt': 'secret' })
      const secret = () => journey.file('docs/secret.txt')
      for (let others = 0; others < 4; others++) {
        const before_ms = secret()?.not_before_ms ?? 0
        await journey.until('it is tried', () => (secret()?.not_before_ms ?? 0) > before_ms)
        journey.write({ [`docs/other${others}.txt`]: `other ${others}` })
        await journey.stage(`docs/other${others}.txt`, 'ready')
      }
      await journey.until('it shows why', () => secret()?.error_code === 'content.right.missing')
      expect(secret()).toMatchObject({ attempts: 0 })
      expect(journey.troubles()).toEqual([])
      expect(journey.log().join('')).not.toMatch(/uploads:/)
      is_refused = false
      await journey.retry()
      await journey.allReady()
    },
  )

  test('a pass says it and ends', async () => {
    const service = { injected_faults: refusing('assets.create', 403) }
    const journey = await begin({ profile, tree: files(3), mode: 'once', service })
    journey.ends({ left_out: Object.keys(files(3)) })
    expect(await journey.drained()).toMatchObject({
      why: 'project',
      error: { code: 'uploads.refused' },
    })
  })
})

localJourneys('contents that the service refuses on create', (profile) => {
  test.each([400, 413])(
    'B-34 %i to all 60 of a new project: none is refused, and all go later',
    async (status) => {
      const clock = new MovingClock({ times: 10 })
      const service = { clock, injected_faults: refusing('assets.create', status) }
      const journey = await begin({ profile, tree: files(60), clock, service })
      await journey.until('it is the service', () => journey.troubles().length > 0)
      expect(journey.troubles()).toMatchObject([{ about: `uploads:${journey.project_id}` }])
      expect(journey.troubles()[0]!.message).not.toMatch(/fault injection/)
      const before = journey.requests('assets.create').length
      expect(before).toBeLessThan(30)
      await journey.until(
        'it is tried again',
        () => journey.requests('assets.create').length > before,
      )
      expect(count(journey, 'refused')).toBe(0)
      journey.service.injectFaults({ failures: [] })
      await journey.allReady()
      expect(journey.troubles()).toEqual([])
    },
  )

  test('B-34 one type alone: it rests with the answer of the service, and one is tried a day', async () => {
    const clock = new MovingClock()
    const tree = { 'docs/a.txt': 'a' }
    const journey = await begin({ profile, tree, clock, service: { clock } }, 'not started')
    let is_too_much = true
    let tried = 0
    const { address } = await startInBetween(journey.service.api, {
      instead({ method, path, body }) {
        const is_note =
          method === 'POST' && path === '/v1/assets' && /md$/.test(String(body?.filename))
        if (is_note) tried += 1
        return is_note && is_too_much ? too_large : undefined
      },
    })
    await journey.start({ service: { base_url: address } })
    await journey.allReady()
    journey.write(files(20, 'md'))
    await journey.until('the type rests', () => count(journey, 'type_refused') === 20)
    journey.write(files(10))
    await journey.until('the others are ready', () => count(journey, 'ready') === 11)
    expect(journey.file('docs/md0.md')?.error_code).toBe('type_rests:md')
    expect(journey.file('docs/md0.md')?.error_message).toMatch(/refuses \.md files: .*413/)
    // The service may name the refused file, which a reader of another folder must not see.
    expect(journey.file('docs/md0.md')?.error_message).not.toContain('Notes')
    const before = tried
    clock.skip(day_ms)
    await journey.until('one is tried', () => tried === before + 1)
    await journey.until('it rests again', () => count(journey, 'type_refused') === 20)
    await journey.idle()
    expect(tried).toBe(before + 1)
    is_too_much = false
    clock.skip(day_ms)
    await journey.allReady()
  })

  test('a single file is refused', async () => {
    const journey = await begin({ profile, tree: { 'docs/a.txt': 'a' } })
    await journey.allReady()
    journey.service.injectFaults({ failures: [{ route: 'assets.create', status: 400, times: 1 }] })
    journey.write({ 'docs/b.txt': 'b' })
    await journey.stage('docs/b.txt', 'refused')
    journey.ends({ left_out: ['docs/b.txt'] })
  })
})

localJourneys('a web page in place of the blob store', (profile) => {
  test('B-35 for one file alone: it waits longer each time, with its error, and pays for no try', async () => {
    const config = { uploads: { max_retry_ms: day_ms } }
    const journey = await begin({ profile, tree: { 'docs/a.txt': 'a' }, config })
    await journey.allReady()
    const failure = { route: 'put', status: 200, body: 'html' } as const
    journey.service.injectFaults({ failures: [failure] })
    journey.write({ 'docs/b.txt': 'b' })
    const waits_ms = () => (journey.file('docs/b.txt')?.not_before_ms ?? 0) - Date.now()
    await journey.until('it waits longer', () => waits_ms() > 1_000)
    expect(journey.file('docs/b.txt')).toMatchObject({
      attempts: 0,
      error_code: 'network.web_page',
    })
    expect(journey.requests('put').length).toBeLessThan(20)
    journey.service.injectFaults({ failures: [] })
    await journey.retry('docs')
    await journey.allReady()
    journey.ends({ half_sent: true })
  })

  test('B-35 the bytes are there all the same: complete decides', async () => {
    const failure = { route: 'put', status: 200, body: 'html', when: 'after' } as const
    const service = { injected_faults: { failures: [failure] } }
    const journey = await begin({ profile, tree: files(3), service })
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: 3, puts: 3 })
  })

  test('B-35 the bytes are not there: the store rests, and no file pays for a try', async () => {
    const clock = new MovingClock({ times: 10 })
    const failure = { route: 'put', status: 200, body: 'html' } as const
    const service = { clock, injected_faults: { failures: [failure] } }
    const journey = await begin({ profile, tree: files(3), clock, service })
    await journey.until('the store rests', () =>
      journey.troubles().some(({ about }) => about === 'blob'),
    )
    expect(journey.files().map(({ attempts }) => attempts)).toEqual([0, 0, 0])
    journey.service.injectFaults({ failures: [] })
    await journey.allReady()
    journey.ends({ half_sent: true })
  })
})
