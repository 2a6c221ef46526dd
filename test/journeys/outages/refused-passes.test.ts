import { expect, test } from 'vitest'
import { day_ms } from '../../../src/base/time/time.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'
import { type Answer, startInBetween } from '../rig/in-between.ts'
import type { ConfigChange } from '../rig/quick-config.ts'

const refusing = (status: number) => ({
  failures: [{ route: 'assets.create' as const, status, code: 'plan.quota.exceeded' }],
})

const refused: Answer = {
  status: 400,
  body: { code: 'asset.kind.refused', humane: 'Not such a file.', statusCode: 400 },
}

/** One pass of `sluice sync`, in a process of its own as far as memory goes. */
async function pass(journey: Journey, change: ConfigChange = {}): Promise<string> {
  await journey.start(change)
  const { why } = await journey.drained()
  await journey.stop()
  return why
}

function count(journey: Journey, stage: string): number {
  return journey.files().filter((file) => file.stage === stage).length
}

localJourneys('passes under a quota that is used up', (profile) => {
  test.each([400, 413])(
    'B-34 %i: files that come one by one in a new project are not refused for good',
    async (status) => {
      const service = { injected_faults: refusing(status) }
      const journey = await begin({ profile, mode: 'once', service }, 'not started')
      const ends: string[] = []
      for (let file = 0; file < 7; file++) {
        journey.write({ [`docs/${file}.txt`]: `text ${file}` })
        ends.push(await pass(journey))
      }
      // The third answer alike shows the cause, and from then on each pass asks once.
      expect(ends).toEqual(['done', 'done', ...Array(5).fill('project')])
      expect(journey.requests('assets.create')).toHaveLength(7)
      expect(count(journey, 'refused')).toBe(0)
      journey.service.injectFaults({ failures: [] })
      expect(await pass(journey)).toBe('done')
      expect(count(journey, 'ready')).toBe(7)
    },
  )

  test('B-34 in a project with ready files: the type rests over restarts, then all go', async () => {
    const clock = new MovingClock()
    const tree = { 'docs/a.txt': 'a' }
    const options = { profile, mode: 'once', tree, clock, service: { clock } } as const
    const journey = await begin(options, 'not started')
    await pass(journey)
    journey.service.injectFaults(refusing(413))
    for (let file = 0; file < 6; file++) {
      journey.write({ [`docs/${file}.txt`]: `text ${file}` })
      expect(await pass(journey)).toBe('done')
    }
    expect(count(journey, 'refused')).toBe(0)
    expect(count(journey, 'type_refused')).toBe(6)
    expect(journey.requests('assets.create')).toHaveLength(4)
    journey.service.injectFaults({ failures: [] })
    clock.skip(day_ms)
    await pass(journey)
    expect(count(journey, 'ready')).toBe(7)
  })

  test('B-34 three alike rest, and after a restart another type shows that it is the service', async () => {
    const tree = { 'docs/a.txt': 'a', 'docs/a.md': 'a md' }
    const journey = await begin({ profile, mode: 'once', tree }, 'not started')
    await pass(journey)
    journey.service.injectFaults(refusing(413))
    journey.write({ 'docs/1.md': '1', 'docs/2.md': '2', 'docs/3.md': '3' })
    await pass(journey)
    expect(count(journey, 'type_refused')).toBe(3)
    journey.write({ 'docs/1.txt': 'text 1' })
    expect(await pass(journey)).toBe('project')
    expect(count(journey, 'refused') + count(journey, 'type_refused')).toBe(0)
    journey.service.injectFaults({ failures: [] })
    await pass(journey)
    expect(count(journey, 'ready')).toBe(6)
  })

  test('B-34 the service takes other types: those that it refused rest again after one try each', async () => {
    const tree = { 'docs/a.txt': 'a' }
    const journey = await begin({ profile, mode: 'once', tree }, 'not started')
    let tried = 0
    const { address } = await startInBetween(journey.service.api, {
      instead({ method, path, body }) {
        const is_create = method === 'POST' && path === '/v1/assets'
        if (is_create) tried += 1
        return is_create && /(exe|bin)$/.test(String(body?.filename)) ? refused : undefined
      },
    })
    const change = { service: { base_url: address } }
    await pass(journey, change)
    journey.write({ 'docs/1.exe': '1', 'docs/2.exe': '2', 'docs/3.exe': '3' })
    expect(await pass(journey, change)).toBe('done')
    journey.write({ 'docs/1.bin': '4' })
    expect(await pass(journey, change)).toBe('project')
    expect(tried).toBe(5)
    journey.write({ 'docs/b.txt': 'b' })
    // One of the others may be asked for before the new file is found.
    await pass(journey, change)
    expect(await pass(journey, change)).toBe('done')
    expect(count(journey, 'type_refused')).toBe(4)
    tried = 0
    journey.write({ 'docs/c.txt': 'c', 'docs/5.exe': '5' })
    expect(await pass(journey, change)).toBe('done')
    expect(tried).toBe(1)
    expect(count(journey, 'ready')).toBe(3)
    journey.ends({
      left_out: journey.files().flatMap((file) => (file.stage === 'ready' ? [] : file.name)),
    })
  })
})
