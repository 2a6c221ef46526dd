import { expect, onTestFinished, test, vi } from 'vitest'
import { day_ms } from '../../src/base/time/time.ts'
import { no_text_code } from '../../src/contract/errors.ts'
import type { Fact } from '../../src/domain/fact.ts'
import type { Ledger } from '../../src/ledger/ledger.ts'
import type { Call, Failure } from '../../src/remote/outcome.ts'
import type { Host } from '../../src/sync/blamed.ts'
import { type Circuits, createCircuits } from '../../src/sync/circuits.ts'
import type { SyncReport } from '../../src/sync/report.ts'
import { FakeClock } from '../rig/fake-clock.ts'

const failure = (about: Failure['about'], more: Partial<Failure> = {}): Failure => ({
  about,
  call: 'read',
  message: 'it failed',
  ...more,
})

/** `hold`: the item is not at fault and keeps its state. */
async function failed(
  circuits: Circuits,
  failure: Failure,
  project_id: string,
  host: Host,
): Promise<'hold' | 'count'> {
  const call = host === 'blob' ? 'put' : failure.call
  const { fact } = await circuits.failed({ ...failure, call }, project_id)
  return fact === 'untried' ? 'hold' : 'count'
}

function setUp(reloadToken = () => false, has_work = true, isFull = () => false) {
  const clock = new FakeClock(1_000_000)
  const recorded: Fact[] = []
  const ledger = {
    async record(facts: readonly Fact[]) {
      if (isFull()) throw new Error('the disk is full')
      recorded.push(...facts)
    },
    dueElsewhere: async () => has_work,
  } as unknown as Ledger
  let slowed = 0
  const reported: string[] = []
  const report = {
    trouble: (_about, what) => void reported.push(what),
    fault: () => {},
  } as Partial<SyncReport>
  const circuits = createCircuits({
    ledger,
    clock,
    report: report as SyncReport,
    reloadToken: async () => reloadToken(),
    onSlowDown: () => slowed++,
    projects: ['project_a', 'p'],
  })
  return { circuits, clock, recorded, reported, slowed: () => slowed }
}

test('one failure has no effect, three in a row open the circuit, one probe goes out at a time, and a success closes it', async () => {
  const { circuits, clock, recorded } = setUp()
  expect(await failed(circuits, failure('network'), 'p', 'api')).toBe('count')
  await circuits.succeeded('read', 'p')
  expect(await failed(circuits, failure('network'), 'p', 'api')).toBe('count')
  expect(await failed(circuits, failure('network'), 'p', 'api')).toBe('count')
  expect(circuits.allowance(['api', 'blob']).limit).toBe(Number.POSITIVE_INFINITY)
  expect(await failed(circuits, failure('network'), 'p', 'api')).toBe('hold')
  expect(recorded).toMatchObject([{ type: 'trouble_began', about: 'api' }])
  expect(circuits.allowance(['api', 'blob']).limit).toBe(0)

  await clock.advance(1_000)
  expect(circuits.allowance(['api', 'blob']).limit).toBe(1)
  expect(circuits.allowance(['api', 'blob']).limit).toBe(0)
  expect(await failed(circuits, failure('network'), 'p', 'api')).toBe('hold')
  expect(circuits.allowance(['api', 'blob']).limit).toBe(0)
  expect(recorded).toHaveLength(1)

  await clock.advance(2_000)
  expect(circuits.allowance(['api', 'blob']).limit).toBe(1)
  await circuits.succeeded('read', 'p')
  expect(recorded).toMatchObject([
    { type: 'trouble_began' },
    { type: 'trouble_ended', about: 'api' },
  ])
  expect(circuits.allowance(['api', 'blob']).limit).toBe(Number.POSITIVE_INFINITY)
})

test('a clock that is set back while a circuit is open prolongs no pause', async () => {
  const { circuits, clock } = setUp()
  for (let times = 0; times < 3; times++) await failed(circuits, failure('network'), 'p', 'api')
  expect(circuits.allowance(['api', 'blob']).limit).toBe(0)
  clock.jumpWall(-day_ms)
  await clock.advance(1_000)
  expect(circuits.allowance(['api', 'blob']).limit).toBe(1)
  await failed(circuits, failure('account', { status: 401 }), 'p', 'api')
  clock.jumpWall(-day_ms)
  await clock.advance(15_000)
  expect(circuits.allowance(['api', 'blob']).limit).toBe(1)
})

test('a refused token stops all calls at once, until the token changes', async () => {
  let is_new = false
  const { circuits, clock, recorded, reported } = setUp(() => is_new)
  // Its pause is drawn by chance. The longest one is not over before the token is read again.
  const random = vi.spyOn(Math, 'random').mockReturnValue(1)
  onTestFinished(() => random.mockRestore())
  expect(
    await failed(circuits, failure('account', { status: 401, humane: 'It is old' }), 'p', 'api'),
  ).toBe('hold')
  expect(reported[0]).toMatch(
    /^the service does not accept Sluice's token\. Sluice uploads nothing/,
  )
  expect(recorded).toMatchObject([{ type: 'trouble_began', about: 'account' }])
  expect(circuits.allowance(['api', 'blob']).limit).toBe(0)
  is_new = true
  await clock.advance(2_000)
  expect(circuits.allowance(['api', 'blob']).limit).toBe(0)
  // The token was read meanwhile.
  await clock.advance(0)
  expect(circuits.allowance(['api', 'blob']).limit).toBe(1)
  await circuits.succeeded('read', 'p')
  expect(recorded.at(-1)).toMatchObject({ type: 'trouble_ended', about: 'account' })
})

test('requests that end with their connection say nothing about the service', async () => {
  const { circuits, recorded } = setUp()
  const ended = failure('network', { code: 'network.aborted' })
  for (let call = 0; call < 5; call++)
    expect(await failed(circuits, ended, 'p', 'api')).toBe('hold')
  expect([recorded, circuits.allowance(['api']).limit]).toEqual([[], Number.POSITIVE_INFINITY])
})

test('a late answer to the old token says nothing about the new one', async () => {
  const { circuits, clock, recorded } = setUp()
  circuits.tokenChanged()
  await clock.advance(60_000)
  const late = failure('account', { status: 401, of_old_token: true })
  expect(await failed(circuits, late, 'p', 'api')).toBe('hold')
  expect(recorded).toEqual([])
  expect(circuits.allowance(['api', 'blob']).limit).toBe(Number.POSITIVE_INFINITY)
})

test('the troubles of a former service end, and its late failures are not recorded', async () => {
  const { circuits, recorded, slowed } = setUp()
  await failed(circuits, failure('account', { status: 401 }), 'p', 'api')
  await circuits.retire()
  expect(recorded.map(({ type }) => type)).toEqual(['trouble_began', 'trouble_ended'])
  expect(await failed(circuits, failure('project', { status: 404 }), 'p', 'api')).toBe('hold')
  for (let round = 0; round < 3; round++)
    await failed(circuits, failure('later', { status: 503 }), 'p', 'blob')
  await circuits.succeeded('put', 'p')
  await circuits.succeeded('read', 'p')
  expect(recorded).toHaveLength(2)
  expect(slowed()).toBe(0)
})

test('a trouble that a full disk kept from being recorded is recorded later, and none stays open forever', async () => {
  let is_full = false
  const { circuits, clock, recorded } = setUp(
    () => false,
    true,
    () => is_full,
  )
  const types = () => recorded.map(({ type }) => type)
  await failed(circuits, failure('account', { status: 401 }), 'p', 'api')
  is_full = true
  await circuits.succeeded('read', 'p')
  expect(types()).toEqual(['trouble_began'])
  await expect(circuits.retire()).rejects.toThrow('full')
  is_full = false
  await circuits.succeeded('read', 'p')
  expect(types()).toEqual(['trouble_began', 'trouble_ended'])

  is_full = true
  await expect(failed(circuits, failure('account', { status: 401 }), 'p', 'api')).rejects.toThrow(
    'full',
  )
  is_full = false
  await clock.advance(3_600_000)
  await failed(circuits, failure('account', { status: 401 }), 'p', 'api')
  expect(types()).toEqual(['trouble_began', 'trouble_ended', 'trouble_began'])
  await circuits.retire()
  expect(types().at(-1)).toBe('trouble_ended')
})

test('a refused project stops only its own calls', async () => {
  const { circuits } = setUp()
  expect(await failed(circuits, failure('project', { status: 404 }), 'project_a', 'api')).toBe(
    'hold',
  )
  expect(circuits.allowance(['api', 'blob'])).toMatchObject({
    limit: Number.POSITIVE_INFINITY,
    except_projects: ['project_a'],
  })
})

test('obeys Retry-After and allows fewer calls at once; a short pause is no trouble', async () => {
  const { circuits, clock, recorded, slowed } = setUp()
  const answer = failure('later', { status: 429, retry_after_ms: 7_000 })
  expect(await failed(circuits, answer, 'p', 'api')).toBe('hold')
  expect(slowed()).toBe(1)
  expect(recorded).toEqual([])
  await clock.advance(6_999)
  expect(circuits.allowance(['api', 'blob']).limit).toBe(0)
  await clock.advance(1)
  expect(circuits.allowance(['api', 'blob']).limit).toBe(1)
})

test('`Retry-After: 0` counts as one second, so that calls do not repeat at full speed', async () => {
  const { circuits, clock } = setUp()
  for (let times = 0; times < 3; times++) {
    expect(
      await failed(circuits, failure('later', { status: 429, retry_after_ms: 0 }), 'p', 'api'),
    ).toBe('hold')
    expect(circuits.allowance(['api'])).toMatchObject({ limit: 0, wait_ms: 1_000 })
    await clock.advance(1_000)
    expect(circuits.allowance(['api']).limit).toBe(1)
  }
})

test('a long pause that the service asked for is reported as such, not as an offline service', async () => {
  const { circuits, recorded } = setUp()
  await failed(
    circuits,
    failure('later', { status: 503, code: 'publicapi.x.y', retry_after_ms: 120_000 }),
    'p',
    'api',
  )
  expect(recorded).toMatchObject([
    { type: 'trouble_began', about: 'api', error: { code: 'service.asked_to_wait' } },
  ])
})

test('answers of the API do not close the circuit of a failing blob store', async () => {
  const { circuits } = setUp()
  for (let times = 0; times < 3; times++) await failed(circuits, failure('network'), 'p', 'blob')
  await circuits.succeeded('read', 'p')
  expect(circuits.tripped().map(({ about }) => about)).toEqual(['blob'])
})

test('a resting blob store stops only the calls that need it', async () => {
  const { circuits } = setUp()
  for (let times = 0; times < 3; times++) await failed(circuits, failure('network'), 'p', 'blob')
  expect([circuits.rests('p', ['api', 'blob']), circuits.rests('p', ['api'])]).toEqual([
    true,
    false,
  ])
  circuits.pause()
  expect(circuits.rests('p', ['api'])).toBe(true)
})

test('a fault of one content never opens a circuit', async () => {
  const { circuits } = setUp()
  for (const about of ['content', 'attempt', 'ticket', 'slot_gone', 'asset_gone'] as const) {
    for (let times = 0; times < 5; times++)
      expect(await failed(circuits, failure(about), 'p', 'api')).toBe('count')
  }
  expect(circuits.tripped()).toEqual([])
})

test('an unused probe is given back', async () => {
  const { circuits, clock } = setUp()
  await failed(circuits, failure('later', { retry_after_ms: 1_000 }), 'p', 'api')
  await clock.advance(1_000)
  expect(circuits.allowance(['api', 'blob']).limit).toBe(1)
  circuits.unused()
  expect(circuits.allowance(['api', 'blob']).limit).toBe(1)
})

test('a sign-in page in place of every answer rests the host, and no content is refused', async () => {
  const { circuits } = setUp()
  for (const verdict of ['count', 'count', 'hold']) {
    expect(await failed(circuits, failure('unknown_protocol', { status: 302 }), 'p', 'api')).toBe(
      verdict,
    )
  }
})

test('a project whose pause is over takes part again, and slows no other project', async () => {
  const { circuits, clock } = setUp()
  await failed(circuits, failure('project', { status: 404 }), 'project_a', 'api')
  await clock.advance(20_000)
  expect(circuits.allowance(['api'])).toMatchObject({
    limit: Number.POSITIVE_INFINITY,
    except_projects: [],
  })
  await failed(circuits, failure('project', { status: 404 }), 'project_a', 'api')
  expect(circuits.allowance(['api'])).toMatchObject({ except_projects: ['project_a'] })
})

test('a trouble ends when no call is left that could meet it', async () => {
  const { circuits, clock, recorded } = setUp(() => false, false)
  await failed(circuits, failure('project', { status: 404 }), 'project_a', 'api')
  for (let times = 0; times < 3; times++) await failed(circuits, failure('network'), 'p', 'blob')
  await circuits.nothingToSend()
  expect(circuits.tripped()).toHaveLength(2)
  await clock.advance(60_000)
  await circuits.nothingToSend()
  expect(circuits.tripped()).toEqual([])
  expect(recorded.filter(({ type }) => type === 'trouble_ended')).toHaveLength(2)
})

test('the trouble of a feature ends when nothing of it is due', async () => {
  const of = (call: Call) => failure('right', { call, status: 403 })
  const due = setUp()
  await failed(due.circuits, of('attach'), 'p', 'api')
  await due.circuits.nothingToSend()
  expect(due.circuits.tripped().map(({ about }) => about)).toEqual(['labels:p'])

  const { circuits, clock, recorded } = setUp(() => false, false)
  await failed(circuits, of('attach'), 'p', 'api')
  await failed(circuits, of('list'), 'p', 'api')
  for (let times = 0; times < 3; times++)
    await failed(circuits, failure('later', { call: 'chat', status: 500 }), 'p', 'api')
  await circuits.nothingToSend()
  expect(circuits.tripped().map(({ about }) => about)).toEqual(['questions:p'])
  await clock.advance(day_ms)
  await circuits.nothingToSend()
  expect(circuits.tripped()).toEqual([])
  expect(recorded.filter(({ type }) => type === 'trouble_ended')).toHaveLength(3)
})

test('a connection that breaks after a side call was sent rests that feature alone', async () => {
  const { circuits } = setUp()
  const broken = failure('network', { call: 'chat', code: 'network.reset' })
  for (let times = 0; times < 3; times++) await failed(circuits, broken, 'p', 'api')
  expect(circuits.tripped().map(({ about }) => about)).toEqual(['questions:p'])
  for (const code of ['network.refused', 'network.unreachable', 'network.dns', 'network.tls']) {
    const { circuits } = setUp()
    const unsent = failure('network', { call: 'chat', code })
    for (let times = 0; times < 3; times++) await failed(circuits, unsent, 'p', 'api')
    expect(circuits.tripped().map(({ about }) => about)).toEqual(['api'])
  }
})

test('a project that left the configuration has no trouble', async () => {
  const { circuits, recorded } = setUp()
  expect(
    await failed(circuits, failure('project', { status: 404 }), 'project_of_before', 'api'),
  ).toBe('count')
  expect(recorded).toEqual([])
  expect(circuits.tripped()).toEqual([])
})

test('a resting blob store does not stop workers that only need the API', async () => {
  const { circuits } = setUp()
  for (let times = 0; times < 3; times++) await failed(circuits, failure('network'), 'p', 'blob')
  expect(circuits.allowance(['api', 'blob']).limit).toBe(0)
  expect(circuits.allowance(['api']).limit).toBe(Number.POSITIVE_INFINITY)
})

test('repeated pauses of zero without an answer in between are reported in the end', async () => {
  const { circuits, clock, recorded } = setUp()
  const again = failure('later', { status: 503, retry_after_ms: 0 })
  for (let second = 0; second < 60; second++) {
    expect(await failed(circuits, again, 'p', 'api')).toBe('hold')
    expect(recorded).toEqual([])
    await clock.advance(1_000)
  }
  await failed(circuits, again, 'p', 'api')
  expect(recorded).toMatchObject([{ type: 'trouble_began', about: 'api' }])
  await circuits.succeeded('read', 'p')
  await failed(circuits, again, 'p', 'api')
  expect(recorded).toMatchObject([{ type: 'trouble_began' }, { type: 'trouble_ended' }])
})

test('a refusal because of no text says nothing about the type', async () => {
  const { circuits, recorded } = setUp()
  const refusal = failure('content', { call: 'create', status: 422, code: no_text_code })
  for (let content = 1; content <= 5; content++) {
    const tries = {
      ...{ attempts: 0, failing_since_ms: undefined, slot_failures: 0, max_attempts: 12 },
      ...{ is_slot_gone: false, now_ms: 0 },
    }
    const concern = { content, upload: { tries, extension: 'pdf' } }
    expect(await circuits.failed(refusal, 'p', concern)).toEqual({ blame: 'none', fact: 'refused' })
  }
  expect(recorded).toHaveLength(5)
  for (const fact of recorded) {
    expect(fact.type).toBe('content_refused')
    expect(fact).not.toHaveProperty('refusal')
  }
})
