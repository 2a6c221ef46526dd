import { expect, test } from 'vitest'
import { planLines } from '../../../src/cli/commands/plan.ts'
import { planUploads } from '../../../src/inspect/plan/plan.ts'
import { configFor } from '../../inspect/config-for.ts'
import { makeTree } from '../../rig/tree.ts'

test('who can learn what is uploaded stands in one line, with and without files to upload', async () => {
  for (const tree of [{ 'a.txt': 'a' }, {}]) {
    const config = configFor({ root: makeTree(tree) })
    const plan = await planUploads({ config, ledger: undefined, hash: false, now_ms: 0 })
    const lines = planLines(plan, Number.POSITIVE_INFINITY).map(({ text }) => text)
    const said =
      'everybody in the project can learn what is in it, whatever the permissions of the share'
    expect(lines.filter((line) => line.includes(said))).toEqual([
      `  ${said}: who may read what on disk is not carried over`,
    ])
  }
})

test('each refused type has a line and, if it has an extension, the setting that leaves it out', async () => {
  const config = configFor({
    root: makeTree({ 'a.gz': 'a', 'b.GZ': 'b', 'c.Gz': 'c', 'x.iso': 'x', README: 'r' }),
  })
  const unread_types = new Map(
    ['gz', 'iso', ''].map(
      (type) => [`${config.folders[0]!.project_id} ${type}`, 'refused'] as const,
    ),
  )
  const plan = await planUploads({
    config,
    ledger: undefined,
    hash: false,
    unread_types,
    now_ms: 0,
  })
  const lines = planLines(plan, Number.POSITIVE_INFINITY).map(({ text }) => text)
  const [at, why] = [
    lines.indexOf('  would be uploaded: 0 files (0 B)'),
    'of a type that the service could not read so far',
  ]
  expect(lines.slice(at + 1, at + 6)).toEqual([
    `  3 files (3 B): ${why}: a.gz, b.GZ, c.Gz`,
    '    this setting of the folder leaves them out: exclude: ["*.[gG][zZ]"]',
    `  1 file (1 B): ${why}: README`,
    `  1 file (1 B): ${why}: x.iso`,
    '    this setting of the folder leaves them out: exclude: ["*.[iI][sS][oO]"]',
  ])
})

test('a type that rests, though others of it may be ready, is named without the setting', async () => {
  const config = configFor({ root: makeTree({ 'a.gz': 'a', 'b.GZ': 'b' }) })
  const unread_types = new Map([[`${config.folders[0]!.project_id} gz`, 'rests']] as const)
  const options = { config, ledger: undefined, hash: false, unread_types, now_ms: 0 }
  const plan = await planUploads(options)
  const lines = planLines(plan, Number.POSITIVE_INFINITY).map(({ text }) => text)
  expect(lines).toContain(
    '  2 files (2 B): of a type that the service refuses just now: one is tried a day: a.gz, b.GZ',
  )
  expect(lines.join()).not.toContain('exclude')
})

test('files of a type of which the service has read none so far are counted, and go up', async () => {
  const config = configFor({ root: makeTree({ 'a.gz': 'a', 'b.GZ': 'b', 'c.txt': 'c' }) })
  const unread_types = new Map([[`${config.folders[0]!.project_id} gz`, 'unread']] as const)
  const plan = await planUploads({
    config,
    ledger: undefined,
    hash: false,
    unread_types,
    now_ms: 0,
  })
  expect(plan.would_upload.files).toBe(3)
  expect(planLines(plan, Number.POSITIVE_INFINITY).map(({ text }) => text)).toContain(
    '    2 files: the service has read no .gz files so far, and failed on some',
  )
})
