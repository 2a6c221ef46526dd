import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { makeTree } from '../../rig/tree.ts'
import { childScript, startChild } from './child.ts'

/** A shell line in a mount namespace of its own, with a small disk at $1. */
const on_small_disk = [
  'unshare',
  '-rm',
  'sh',
  '-c',
  'mount -t tmpfs -o size=8m,mode=0700 tmpfs "$1" && shift && exec "$@"',
  'sh',
]

const child = `
  import { rmSync, writeFileSync } from 'node:fs'
  import { join } from 'node:path'
  const filler = join(process.argv[2], 'filler')
  const ledger_dir = join(process.argv[2], 'state')
  const reopen = () => openLedger({ state_dir: ledger_dir, limits, clock })
  let ledger = await reopen()
  await configure(ledger)
  writeFileSync(filler, Buffer.alloc(5_000_000))
  let recorded = 0
  const batch = (from) => ledger.record(Array.from({ length: 200 }, (_, at) => settled('a rather long path, so that it fills the disk/' + (from + at))))
  const errors = []
  // Four calls at once, so that a batch of several calls meets the full disk.
  while (errors.length < 8) {
    const starts = [0, 1, 2, 3].map((call) => recorded + call * 200)
    const outcomes = await Promise.allSettled(starts.map(batch))
    const done = outcomes.filter(({ status }) => status === 'fulfilled').length
    for (const outcome of outcomes) if (outcome.status === 'rejected') errors.push({ code: outcome.reason.code, hint: outcome.reason.hint })
    recorded += done * 200
    if (recorded > 1_000_000) throw new Error('this disk is not small')
  }
  const known = async () => (await ledger.folders())[0].known_files
  const while_full = await known()
  rmSync(filler)
  await ledger.record(Array.from({ length: 200 }, (_, at) => settled('later/' + at)))
  const after = await known()
  await ledger.close()
  ledger = await reopen()
  const reopened = await known()
  const found = (await ledger.filesAt('docs', ['later/0', 'later/199'])).filter(Boolean).length
  await ledger.close()
  say(JSON.stringify({ recorded, while_full, after, reopened, found, errors }))
`

test('on a full disk every answered record is kept, and recording continues when there is space again', async (context) => {
  const directory = makeTree()
  const probe = spawnSync(on_small_disk[0]!, [...on_small_disk.slice(1), directory, 'true'], {
    encoding: 'utf8',
  })
  if (probe.status !== 0) {
    console.warn(
      `skipped: a small disk cannot be mounted here (${probe.stderr?.trim() || probe.error?.message})`,
    )
    context.skip()
  }
  const { child: running, lines } = startChild([
    ...on_small_disk,
    directory,
    process.execPath,
    childScript(child),
    directory,
  ])
  const said: string[] = []
  lines.on('line', (line) => said.push(line))
  const [code] = (await once(running, 'close')) as [number]
  expect(code).toBe(0)
  const { recorded, while_full, after, reopened, found, errors } = JSON.parse(
    said.join(''),
  ) as Record<string, number> & {
    errors: { code: string; hint: string }[]
  }
  expect(recorded).toBeGreaterThan(0)
  for (const error of errors)
    expect(error).toMatchObject({
      code: expect.stringMatching(/^database\.(full|disk)$/),
      hint: expect.stringContaining('space'),
    })
  expect(while_full).toBe(recorded)
  expect(after).toBe(recorded! + 200)
  expect(reopened).toBe(recorded! + 200)
  expect(found).toBe(2)
})
