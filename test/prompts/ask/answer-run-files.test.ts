import { expect, test } from 'vitest'
import { system_clock } from '../../../src/base/time/time.ts'
import { awaitFiles } from '../../../src/prompts/ask/await-files.ts'
import { realWait, until } from '../../rig/waiting.ts'
import { openRunRig, type RunRig } from './answer-run-rig.ts'

/** The wait of the oldest run, and whether it is over. */
async function wait(rig: RunRig) {
  const work = (await rig.claim())!
  const state = { over: false, took_ms: 0 }
  const began_ms = system_clock.monotonic_ms()
  const ended = awaitFiles(work, rig.settings, rig.tools()).then((goes_on) => {
    Object.assign(state, { over: true, took_ms: system_clock.monotonic_ms() - began_ms })
    return goes_on
  })
  return { state, ended }
}

const due = (rig: RunRig) =>
  rig.record({ type: 'run_due', prompt: 'digest', due_ms: system_clock.now_ms(), cause: 'user' })

test('a run requests a scan and waits for one that began after the due time; an earlier scan does not count', async () => {
  const rig = await openRunRig()
  await rig.scan()
  await realWait('the next millisecond', 5)
  await due(rig)
  const { state, ended } = await wait(rig)
  await until(
    'a scan is requested',
    async () => (await rig.ledger.folders())[0]?.scan_wanted_ms !== undefined,
  )
  await realWait('nothing happens', 150)
  expect(state.over).toBe(false)
  await rig.scan()
  expect(await ended).toBe(true)
})

test('a run waits until the files of the scan are final, as long as the prompt allows', async () => {
  const rig = await openRunRig({ settings: { wait_for_files_ms: 60_000 } })
  await rig.settle('a.md', '0'.repeat(32))
  await realWait('the next millisecond', 2)
  await rig.due()
  const { state, ended } = await wait(rig)
  await realWait('nothing happens', 250)
  expect(state.over).toBe(false)
  const error = { code: 'x', message: 'not a name that the service takes' }
  const { work } = await rig.ledger.claimToSend(1, { except_projects: [] })
  const content = work[0]!.content
  await rig.ledger.record([
    { type: 'slot_intended', content },
    { type: 'content_refused', content, error },
  ])
  expect(await ended).toBe(true)

  const hasty = await openRunRig({ settings: { wait_for_files_ms: 300 } })
  await hasty.settle('a.md', '0'.repeat(32))
  await realWait('the next millisecond', 2)
  await hasty.due()
  const bounded = await wait(hasty)
  expect(await bounded.ended).toBe(true)
  expect(bounded.state.took_ms).toBeGreaterThan(200)
})

test('a run does not wait for files outside its paths, or for offline folders', async () => {
  const rig = await openRunRig({
    settings: { wait_for_files_ms: 60_000 },
    scope: { paths: ['*.pdf'] },
  })
  await rig.settle('a.md', '0'.repeat(32))
  await realWait('the next millisecond', 2)
  await rig.due()
  const other = await wait(rig)
  expect(await other.ended).toBe(true)

  const away = await openRunRig({ settings: { wait_for_files_ms: 60_000 } })
  await due(away)
  await away.ledger.record([{ type: 'folder_offline', folder: 'notes', reason: 'not there' }])
  const { ended } = await wait(away)
  expect(await ended).toBe(true)
})

test('a run waits for a folder that was offline before until its present state is known', async () => {
  const rig = await openRunRig()
  const offline = { type: 'folder_offline', folder: 'notes', reason: 'not there' } as const
  await rig.ledger.record([offline])
  await realWait('the next millisecond', 5)
  await due(rig)
  const { state, ended } = await wait(rig)
  await realWait('nothing happens', 150)
  expect(state.over).toBe(false)
  await rig.ledger.record([
    { ...offline, reason: 'another disk, which is compared', is_doubted: true },
  ])
  await realWait('nothing happens', 150)
  expect(state.over).toBe(false)
  await rig.ledger.record([offline])
  expect(await ended).toBe(true)
})

test('a stop ends the wait at once, and the run stays due', async () => {
  const rig = await openRunRig()
  await due(rig)
  const { ended } = await wait(rig)
  rig.soft.abort()
  expect(await ended).toBe(false)
})
