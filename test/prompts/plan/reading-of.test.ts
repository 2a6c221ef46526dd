import { expect, test } from 'vitest'
import { aboutCalls } from '../../../src/prompts/plan/about-calls.ts'
import { newReadingText } from '../../../src/prompts/plan/reading-of.ts'
import { openRunRig } from '../ask/answer-run-rig.ts'
import { asRunAsset, assetOf, turnOf } from '../settings.ts'

const unset = { settings: { read: undefined } }
const whole = JSON.stringify({ prompt: 'x', skills: ['sluice-read-every-file'] })
const search = JSON.stringify({ prompt: 'x' })

test.each([
  ['default', undefined, ['sluice-read-every-file']],
  ['default', 'search', undefined],
  ['hosted', undefined, undefined],
] as const)(
  'D-12 on a service with the profile %s, read: %s loads the skills %j',
  async (profile, read, skills) => {
    const rig = await openRunRig({ profile, settings: { read } })
    await rig.bringIn('a.md')
    await rig.due()
    await rig.run()
    expect(JSON.parse(rig.shown(1).turns[0]!.body).skills).toEqual(skills)
    const asked = rig.service.requestLog.filter(({ place }) => place === 'skills.list')
    expect(asked).toHaveLength(read === undefined ? 1 : 0)
    expect(rig.shown(1).notes).toEqual([])
  },
)

test.each([400, 403, 404, 405, 500, 501])(
  'D-12 a service that answers %i to the list of skills is asked to search, without a note',
  async (status) => {
    const rig = await openRunRig(unset)
    await rig.bringIn('a.md')
    rig.service.injectFaults({ failures: [{ route: 'skills.list', status }] })
    await rig.due()
    await rig.run()
    expect(rig.shown(1)).toMatchObject({ state: 'written', notes: [] })
    expect(JSON.parse(rig.shown(1).turns[0]!.body)).not.toHaveProperty('skills')
  },
)

test.each([
  ['asked to wait', { status: 429 }],
  ['cut off', { status: 0, drop_connection: true }],
])('D-12 %s, the run is planned later, and then reads every file', async (_, fault) => {
  const rig = await openRunRig(unset)
  await rig.bringIn('a.md')
  rig.service.injectFaults({ failures: [{ route: 'skills.list', times: 1, ...fault }] })
  await rig.due()
  expect(await rig.step()).toBe('due')
  expect(rig.reported.at(-1)).toMatch(/^later/)
  expect(rig.starts()).toBe(0)
})

test('the first report that reads every file says so once, with the calls it took', async () => {
  const rig = await openRunRig({ settings: { read: 'search' } })
  const notes: (readonly string[])[] = []
  for (const [at, read] of (['search', undefined, undefined] as const).entries()) {
    rig.settings = { ...rig.settings, read }
    await rig.bringIn(`${at}.md`)
    await rig.due()
    await rig.run()
    notes.push(rig.shown(at + 1).notes)
  }
  const text =
    'this prompt now reads every file: 0 calls of the model, 1 before; read: search in the configuration brings back the search'
  expect(notes).toEqual([[], [text], []])
})

const earlier = { last_skills: '[]' }
test.each([
  ['the first run of all', {}, { last_skills: undefined }, [whole], undefined],
  ['a setting asks for it', { read: 'every_file' }, earlier, [whole], undefined],
  [
    'it read every file before',
    {},
    { last_skills: '["sluice-read-every-file"]' },
    [whole],
    undefined,
  ],
  ['it searches', {}, earlier, [search], undefined],
  ['an earlier run searched', {}, earlier, [whole], ': 7 calls of the model, 1 before'],
  ['in parts', {}, earlier, [whole, whole, search], ': 13 calls of the model, 3 before'],
] as const)(
  'the note about whole reading: %s',
  (_, { read }: { read?: 'every_file' }, state, bodies, cost) => {
    const turns = bodies.map((body) => ({ ...turnOf(body, 'x'), calls: 3 }))
    const run = { turn: turns.length - 1, turns }
    const text = newReadingText(run, { read }, state, 7)
    expect(text?.replace(/^this prompt now reads every file(.*?);.*$/, '$1')).toBe(cost)
    if (turns.length > 1)
      expect(newReadingText({ turns, turn: 0 }, { read }, state, 7)).toBeUndefined()
    const unsaid = newReadingText(run, { read }, state, undefined)
    expect(unsaid?.startsWith('this prompt now reads every file; read')).toBe(cost && true)
  },
)

test.each([
  ['a search', [search], [100, 90_000], 1],
  ['what fits one call', [whole], [30_000, 30_000], 1],
  ['two batches and the closing call', [whole], [30_000, 30_001], 3],
  ['a large file is one batch', [whole], [5_000_000, 1], 3],
  ['no more than the service allows', [whole], Array(100).fill(60_000), 40],
  ['parts and a closing turn', [whole, whole, search], [60_000, 60_000, 1], 5],
])('about how many calls: %s', (_, bodies, sizes, calls) => {
  const turns = bodies.length > 1 ? 2 : 1
  const assets = sizes.map((size, at) => ({ ...asRunAsset(assetOf(at), at % turns), size }))
  expect(aboutCalls(bodies, assets)).toBe(calls)
})
