import { expect, test } from 'vitest'
import { no_removals, type RemovalsView } from '../../src/ledger/views/view-removal-cases.ts'
import { removalStatus } from '../../src/status/assets.ts'
import { LineWriter } from '../../src/status/text/lines.ts'
import { removalLines } from '../../src/status/text/text-assets.ts'
import { undescribed } from '../cli/json/described-json.ts'

function linesOf(view: Partial<RemovalsView>): string[] {
  const writer = new LineWriter(200)
  const status = removalStatus({ ...no_removals, ...view })
  expect(undescribed('status.json#/properties/removals', status)).toEqual([])
  removalLines(writer, status)
  return writer.lines.map(({ text }) => text.trim()).filter((text) => text !== '')
}

test('without outdated assets it shows nothing', () => expect(linesOf({})).toEqual([]))

test('with `keep` it counts them', () => {
  expect(
    linesOf({ outdated: { files: 1_204, bytes: 3_000_000, deleted: 1_200, replaced: 3 } }),
  ).toEqual([
    '1,200 deleted files, 3 old versions, 1 file that is left out now still answer (3.0 MB)',
    '1,204 kept; for later ones, `on_delete: remove` and `on_change: remove_old` of a folder remove them (docs/operating.md, Old versions and deleted files)',
  ])
  expect(linesOf({ outdated: { files: 1, bytes: 1_000, deleted: 1, replaced: 0 } })[0]).toBe(
    '1 deleted file still answers (1.0 kB)',
  )
})

test('shows the assets to remove by what they wait for', () => {
  const waiting: RemovalsView['waiting'] = [
    { why: 'grace', versions: 12 },
    { why: 'scan', versions: 2 },
  ]
  expect(
    linesOf({ outdated: { files: 14, bytes: 1, deleted: 12, replaced: 2 }, waiting, removing: 3 }),
  ).toContain(
    'to be removed on the service: 12 deleted a short time ago (delete_grace_ms), 2 until every folder of the project is online and was scanned, with all directories of known files, 3 just now',
  )
})

test('too many removals at once: shows the folder, the number and the command to accept', () => {
  const held = [{ folder: 'my notes', root: '/srv/my notes', versions: 412 }]
  const waiting = [{ why: 'user' as const, versions: 412 }]
  expect(
    linesOf({ outdated: { files: 412, bytes: 1, deleted: 412, replaced: 0 }, waiting, held }).slice(
      1,
    ),
  ).toEqual([
    '412 versions of my notes would be removed on the service, more than Sluice removes without asking (removal.max_files); if that is right:',
    "sluice accept --removals 'my notes'",
  ])
})

test('a service that does not support removal: shows that the policy asks for it, and that the assets are kept', () => {
  const refusals = [
    { project_id: 'project_1', code: 'http.405', message: 'it answered 405', since_ms: 0 },
  ]
  expect(linesOf({ refusals })).toContain(
    'the service refuses to remove assets of project_1, so they are kept whatever the settings of the folders say: it answered 405',
  )
})
