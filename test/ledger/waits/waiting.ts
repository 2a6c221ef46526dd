import { day_ms, hour_ms, minute_ms } from '../../../src/base/time/time.ts'
import { max_failed_of_type } from '../../../src/domain/file-type.ts'
import type { LedgerLimits } from '../../../src/ledger/ledger.ts'
import { type Bench, md5Of, nothing_seen, other_project_id, statOf } from '../fixture.ts'

/** The file that waits, and its bytes. */
const path = 'a.gz'
const text = 'the waiting text'
const error = { code: 'http.500', message: 'the service had a bad moment' }
const unread = { code: 'ingest_failed', message: 'the service cannot use this file' }

export interface Waiting {
  limits?: Partial<LedgerLimits>
  /** Brings the file into this wait. */
  begin(bench: Bench): Promise<void>
  /** Kind of the claim that goes on with it. */
  claim?: 'check' | 'follow' | 'remove' | 'label'
}

async function refuse(bench: Bench, name: string): Promise<void> {
  const content = await bench.settle('docs', name, `bytes of ${name}`)
  await bench.send(content)
  await bench.record({ type: 'content_refused', content, error: unread })
}

async function claimAll(bench: Bench): Promise<void> {
  for (const { content } of await bench.sendable()) bench.free(content)
}

function block(bench: Bench, reason: 'unreadable' | 'outside' | 'changing'): Promise<void> {
  const not_before_ms = bench.clock.now_ms() + hour_ms
  const stat = statOf(text.length)
  const of = { folder: 'docs', path, stat, reason, detail: reason, not_before_ms } as const
  return bench.record({ type: 'file_blocked', ...of })
}

async function makeGone(bench: Bench): Promise<number> {
  await bench.configure('docs', { on_delete: 'remove', delete_grace_ms: hour_ms })
  const content = await bench.settle('docs', path, text)
  await bench.makeReady(content)
  await bench.gone('docs', path)
  await scan(bench)
  return content
}

async function scan(bench: Bench): Promise<void> {
  await bench.clock.advance(1)
  const began_ms = bench.clock.now_ms()
  await bench.record({ type: 'scan_finished', folder: 'docs', began_ms, summary: nothing_seen })
}

/** Each wait that the state of the ledger shows. Circuits and bandwidth have tests of their own. */
export const waiting = {
  refused: {
    async begin(bench) {
      const content = await bench.settle('docs', path, text)
      await bench.record({ type: 'content_refused', content, error })
    },
  },
  removed_on_service: {
    async begin(bench) {
      const content = await bench.settle('docs', path, text)
      await bench.makeReady(content)
      await bench.record({ type: 'asset_missing', content })
    },
  },
  resting_type: {
    async begin(bench) {
      const content = await bench.settle('docs', path, text)
      await claimAll(bench)
      await bench.record({ type: 'slot_intended', content })
      const refusal = { answer: 'too.large', extension: 'gz' }
      await bench.record({ type: 'type_rests', content, refusal, said: 'no' })
    },
  },
  refused_type: {
    async begin(bench) {
      for (let file = 0; file < max_failed_of_type; file++) await refuse(bench, `${file}.gz`)
      await bench.settle('docs', path, text)
      await claimAll(bench)
    },
  },
  unproven_type: {
    async begin(bench) {
      const first: number[] = []
      for (let file = 0; file < max_failed_of_type; file++)
        first.push(await bench.settle('docs', `${file}.gz`, `first ${file}`))
      await claimAll(bench)
      for (const content of first) await bench.send(content)
      await bench.settle('docs', path, text)
      await claimAll(bench)
    },
  },
  out_of_reach: {
    async begin(bench) {
      await bench.settle('docs', path, text)
      await bench.record({ type: 'folder_offline', folder: 'docs', reason: 'unmounted' })
      await claimAll(bench)
    },
  },
  failed: {
    async begin(bench) {
      await bench.setBack(await bench.settle('docs', path, text), hour_ms)
    },
  },
  min_resend: {
    limits: { min_resend_ms: hour_ms },
    async begin(bench) {
      await bench.makeReady(await bench.settle('docs', path, 'an earlier version'))
      await bench.settle('docs', path, text)
    },
  },
  untried: {
    async begin(bench) {
      const content = await bench.settle('docs', path, text)
      await claimAll(bench)
      const not_before_ms = bench.clock.now_ms() + hour_ms
      await bench.record({ type: 'deferred', content, not_before_ms })
    },
  },
  slot_lost: {
    async begin(bench) {
      const content = await bench.settle('docs', path, text)
      await bench.reserve(content)
      const not_before_ms = bench.clock.now_ms() + hour_ms
      await bench.record({ type: 'slot_lost', content, not_before_ms })
      bench.free(content)
    },
  },
  reading: {
    claim: 'follow',
    async begin(bench) {
      const content = await bench.settle('docs', path, text)
      await bench.send(content)
      const not_before_ms = bench.clock.now_ms() + hour_ms
      await bench.record({ type: 'ingest_continues', content, not_before_ms })
    },
  },
  removing: {
    claim: 'remove',
    async begin(bench) {
      const content = await makeGone(bench)
      await bench.clock.advance(2 * hour_ms)
      await scan(bench)
      const { work } = await bench.ledger.claimToRemove(10, { except_projects: [] })
      if (work[0]?.content !== content) throw new Error('it is not being removed')
      bench.free(content)
      await bench.settle('docs', path, text)
      const not_before_ms = bench.clock.now_ms() + hour_ms
      await bench.record({ type: 'removal_deferred', content, not_before_ms, error })
    },
  },
  removal_grace: {
    claim: 'remove',
    async begin(bench) {
      await makeGone(bench)
    },
  },
  label_deferred: {
    claim: 'label',
    async begin(bench) {
      await bench.configure('docs', { labels: ['one'] })
      const content = await bench.settle('docs', path, text)
      await bench.makeReady(content)
      const not_before_ms = bench.clock.now_ms() + hour_ms
      await bench.record({ type: 'labels_deferred', content, not_before_ms })
    },
  },
  unreadable: { claim: 'check', begin: (bench) => block(bench, 'unreadable') },
  outside: { claim: 'check', begin: (bench) => block(bench, 'outside') },
  changing: { claim: 'check', begin: (bench) => block(bench, 'changing') },
  check_out_of_reach: {
    claim: 'check',
    async begin(bench) {
      await bench.seen('docs', path, text)
      await bench.record({ type: 'folder_offline', folder: 'docs', reason: 'unmounted' })
      await bench.ledger.claimToCheck(10)
    },
  },
  settling: { claim: 'check', begin: (bench) => bench.seen('docs', path, text, hour_ms) },
  upload_limit: {
    claim: 'check',
    limits: { upload_limit: { files: 1, bytes: 1_000, per_ms: hour_ms } },
    async begin(bench) {
      await bench.makeReady(await bench.settle('docs', 'first.txt', 'first'))
      await bench.settle('docs', path, text)
    },
  },
  before_start: {
    claim: 'check',
    begin: (bench) =>
      bench.record({
        type: 'file_skipped',
        folder: 'docs',
        path,
        stat: statOf(text.length),
        reason: 'before_start',
        rule: 'folders.docs.start is from_now',
      }),
  },
  pause: {
    async begin(bench) {
      await bench.settle('docs', path, text)
      const until_ms = bench.clock.now_ms() + hour_ms
      await bench.record({ type: 'paused', by: 'a user', why: undefined, until_ms })
    },
  },
  daily_limit: {
    limits: { max_bytes_per_day: 10 },
    async begin(bench) {
      await bench.makeReady(await bench.settle('docs', 'first.txt', 'first', 10))
      await bench.settle('docs', path, text)
      await claimAll(bench)
    },
  },
} satisfies Record<string, Waiting>

/** Each event. It happens once; no time passes but where it says so. */
export const events = {
  nothing: async () => {},
  async 'folder back'(bench) {
    await bench.record({ type: 'folder_offline', folder: 'docs', reason: 'unmounted' })
    await bench.record({ type: 'folder_online', folder: 'docs', device: 5n })
  },
  async reload(bench) {
    const folder = (await bench.ledger.folder('docs'))!
    await reconfigure(bench, folder.project_id)
  },
  async renamed(bench) {
    await bench.online('papers', { root: '/data/docs' })
    await bench.record({ type: 'folders_removed_except', names: ['papers'] })
    await bench.settle('papers', path, text)
  },
  async project(bench) {
    await reconfigure(bench, other_project_id)
    await bench.record({ type: 'folder_online', folder: 'docs', device: 5n })
    const { work } = await bench.ledger.claimToCheck(100)
    bench.ledger.release('check', work)
    const is_blocked = bench.see.file('docs', path)?.reason !== null
    if (work.some((check) => check.path === path) && !is_blocked)
      await bench.settle('docs', path, text)
  },
  limits: (bench) =>
    bench.ledger.setLimits({
      ...bench.limits,
      upload_limit: undefined,
      max_bytes_per_day: undefined,
      min_resend_ms: 0,
    }),
  'scan asked': (bench) => bench.record({ type: 'checks_wanted', folder: 'docs' }),
  retry: (bench) => bench.record({ type: 'retried', folder: 'docs', path: '' }),
  resume: (bench) => bench.record({ type: 'resumed' }),
  accept: (bench) => bench.record({ type: 'accepted', folder: 'docs', path: '' }),
  async 'new bytes'(bench) {
    await bench.seen('docs', path, 'other bytes', minute_ms)
    await bench.settle('docs', path, 'other bytes')
  },
  async time(bench) {
    await bench.clock.advance(2 * day_ms)
    if ((await bench.ledger.folder('docs'))?.online) await scan(bench)
  },
  async restart(bench) {
    await bench.reopen()
    await bench.record({ type: 'daemon_started' })
    await events.reload(bench)
  },
} satisfies Record<string, (bench: Bench) => Promise<void>>

async function reconfigure(bench: Bench, project_id: string): Promise<void> {
  await bench.configure('docs', {
    project_id,
    labels: ['one'],
    on_delete: 'remove',
    delete_grace_ms: hour_ms,
  })
}

/** True if a worker may go on with the file now: with its bytes, or with those that it has now. */
export async function goesOn(bench: Bench, claim: Waiting['claim'] = undefined): Promise<boolean> {
  const { ledger } = bench
  const query = { except_projects: [] }
  const md5s = [md5Of(text), md5Of('other bytes')]
  const sent = await ledger.claimToSend(1_000, query)
  if (sent.work.some(({ md5 }) => md5s.includes(md5))) return true
  if (claim === undefined) return false
  if (claim === 'check') {
    const { work } = await ledger.claimToCheck(1_000)
    return work.some((check) => check.path === path)
  }
  const claims = {
    follow: ledger.claimToFollow,
    label: ledger.claimToLabel,
    remove: ledger.claimToRemove,
  }
  const { work } = await claims[claim](1_000, query)
  return work.some(({ content }) => content === bench.see.content(md5Of(text))?.id)
}
