import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Clock, day_ms, hour_ms, system_clock } from '../../src/base/time/time.ts'
import { planUploads } from '../../src/inspect/plan/plan.ts'
import { surveyFolder, type usual_survey } from '../../src/inspect/plan/survey.ts'
import { typeKey } from '../../src/inspect/plan/unread-types.ts'
import { makeTree } from '../rig/tree.ts'
import { builtModule, runUnprivileged } from '../rig/unprivileged.ts'
import { configFor } from './config-for.ts'

const keyOf = (name: string) =>
  typeKey(configFor({ root: '/nowhere/notes' }).service.project_id, name)
const unread_types = new Map([
  [keyOf('x.raw'), 'refused'],
  [keyOf('x.gz'), 'unread'],
] as const)

function survey(root: string, options: { clock?: Clock; limits?: typeof usual_survey } = {}) {
  return surveyFolder(configFor({ root }).folders[0]!, {
    clock: system_clock,
    unread_types,
    ...options,
  })
}

test('shows counts, sizes, types, and ignored files by rule', async () => {
  const root = makeTree({
    'a.TXT': 'four',
    'sub/b.txt': { text: 'old one', aged_ms: 60 * day_ms },
    'sub/c.GZ': 'x',
    '~$a.docx': 'lock',
    '.sluiceignore': '*.bak\n',
    'd.bak': 'x',
  })
  const found = await survey(root)
  expect(found).toMatchObject({
    offline: null,
    all: { files: 3, bytes: 12 },
    types: [
      { extension: 'txt', files: 2, bytes: 11, unread: 0 },
      { extension: 'gz', files: 1, bytes: 1, unread: 1 },
    ],
    stopped: undefined,
    complete: true,
  })
  expect(found.ignored.map(({ rule, count }) => [rule, count])).toContainEqual(['*.bak', 1])
})

test('names directories and files that this user cannot read', () => {
  const root = makeTree({ 'open.txt': 'x', 'closed.txt': 'x', 'shut/a.txt': 'x' })
  chmodSync(join(root, 'closed.txt'), 0)
  chmodSync(join(root, 'shut'), 0)
  const script = `
    import { surveyFolder } from ${JSON.stringify(builtModule('inspect/plan/survey'))}
    import { system_clock } from ${JSON.stringify(builtModule('base/time/time'))}
    const folder = ${JSON.stringify(configFor({ root }).folders[0])}
    const found = await surveyFolder(folder, { clock: system_clock, unread_types: new Map() })
    const { unreadable, unreadable_total, all } = found
    const to_upload = found.newerThan().files
    console.log(JSON.stringify([unreadable, unreadable_total, all.files, to_upload]))`
  expect(runUnprivileged(script, root)).toEqual([['shut', 'closed.txt'], 2, 2, 1])
})

test('`sluice plan` without a ledger counts no file that this user cannot read', () => {
  const root = makeTree({ 'open.txt': 'x', 'b4.txt': 'four', 'shut/a.txt': 'x' })
  chmodSync(join(root, 'b4.txt'), 0)
  chmodSync(join(root, 'shut'), 0)
  const script = `
    import { planUploads } from ${JSON.stringify(builtModule('inspect/plan/plan'))}
    import { planLines } from ${JSON.stringify(builtModule('cli/commands/plan'))}
    const config = ${JSON.stringify(configFor({ root }))}
    const plan = await planUploads({ config, ledger: undefined, hash: false, now_ms: Date.now() })
    const { would_upload, folders } = plan
    const lines = planLines(plan, 200).map(({ text }) => text.trim())
    const said = lines.filter((line) => line.includes('cannot be read'))
    console.log(JSON.stringify([would_upload.files, folders[0].seen.unreadable_total, said]))`
  expect(runUnprivileged(script, root)).toEqual([
    1,
    2,
    [
      '1 file (4 B): cannot be read by this user: b4.txt',
      'cannot be read: shut (this user may not read it)',
    ],
  ])
})

test('knows what `sluice plan` would upload for each start', async () => {
  const root = makeTree({
    'new.txt': 'four',
    'hour.txt': { text: 'an hour', aged_ms: 1.5 * hour_ms },
    'month.txt': { text: 'in a month', aged_ms: 29 * day_ms },
    'old.txt': { text: 'old one', aged_ms: 60 * day_ms },
    'empty.txt': '',
    'picture.raw': 'refused',
  })
  const found = await survey(root)
  const planned = async (start: unknown) => {
    const config = configFor({ root, folder: { start } })
    return (
      await planUploads({
        config,
        ledger: undefined,
        hash: false,
        unread_types,
        now_ms: Date.now(),
      })
    ).would_upload
  }
  expect(found.all.files).toBe(6)
  expect(found.newerThan()).toEqual({ files: 4, bytes: 28 })
  expect(found.newerThan()).toEqual(await planned('all'))
  for (const hours of [1, 2, 24, 30 * 24, 365 * 24])
    expect(found.newerThan(hours * hour_ms), `${hours} h`).toEqual(
      await planned({ newer_than: `${hours}h` }),
    )
  expect(found.newerThan(0)).toEqual(await planned('from_now'))
})

test('stops counting at the limits for files and time', async () => {
  const root = makeTree(
    Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${at}.txt`, 'x'])),
  )
  const files = { max_files: 10, max_time_ms: 60_000 }
  expect(await survey(root, { limits: files })).toMatchObject({ stopped: 'files', complete: false })
  const time = { max_files: 1_000, max_time_ms: 0 }
  const clock = { ...system_clock, sleep: async () => {} }
  expect(await survey(root, { clock, limits: time })).toMatchObject({
    stopped: 'time',
    complete: false,
  })
})

test('a missing folder is offline, not an error', async () => {
  expect(await survey(`${makeTree()}/none`)).toMatchObject({
    offline: expect.stringContaining('does not exist (not mounted?)'),
    all: { files: 0, bytes: 0 },
    complete: false,
  })
})
