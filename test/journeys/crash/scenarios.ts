import { renameSync } from 'node:fs'
import type { Fact } from '../../../src/domain/fact.ts'
import { typeRefusal } from '../../../src/domain/file-type.ts'
import type { Failure } from '../../../src/service/fault-injection.ts'
import { md5Of } from '../rig/disk-truth.ts'
import { audit_scenarios } from './audit-scenarios.ts'
import type { Moments } from './crashing-ledger.ts'
import { prompt_scenarios } from './prompt-scenarios.ts'
import { removal_scenarios } from './removal-scenarios.ts'
import type { World, WorldOptions } from './world.ts'

/** One pass of the daemon over earlier changes. */
export interface Phase {
  /** Runs once, however often the pass has to start again. */
  before?(world: World): void | Promise<void>
  /** Facts that a running daemon gets from the user, who repeats a lost one. */
  facts?(world: World): Fact[]
  /** Facts that come after the pass. */
  facts_after?(world: World): Fact[]
  /** A daemon in watch mode is stopped when nothing moves and this holds. */
  until?(world: World): boolean
}

export interface Scenario extends WorldOptions {
  name: string
  phases: Phase[]
  moments?(world: World): Moments
}

const too_large = { answer: 'too.large', extension: 'txt' }

const failing = (...failures: Failure[]) => ({
  before: (world: World) => world.service.injectFaults({ failures }),
})
const again: Phase = {}

export const scenarios: Scenario[] = [
  {
    name: 'files come, change, move and go',
    tree: {
      'inbox/one.txt': 'one',
      'inbox/two.txt': 'two',
      'plans/one-again.txt': 'one',
      'plans/large.txt': 'large\n'.repeat(500),
      'empty.txt': '',
      'old-notes.txt': 'notes',
    },
    folder: { labels: ['team'], label_from: 'first_folder' },
    phases: [
      { before: (world) => world.writeJustNow('inbox/three.txt', 'three') },
      {
        before(world) {
          world.write({
            'inbox/two.txt': 'two, second version',
            '.sluiceignore': 'old-notes.txt\n',
          })
          world.remove('plans/large.txt')
          world.move('inbox/one.txt', 'plans/one.txt')
        },
      },
      { before: (world) => renameSync(world.folder, `${world.folder}-away`) },
      { before: (world) => renameSync(`${world.folder}-away`, world.folder) },
    ],
  },
  {
    name: 'the service is slow',
    tree: { 'a.txt': 'a', 'b.txt': 'b' },
    service: { ingest: { delay_ms: 400 } },
    phases: [again],
  },
  {
    name: 'the service fails for a while',
    // Three contents must meet it: a single one may be at fault itself.
    tree: { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' },
    phases: [failing({ route: 'assets.create', status: 503, times: 6 })],
  },
  {
    name: 'a ticket is refused',
    tree: { 'a.txt': 'a', 'b.txt': 'b' },
    phases: [failing({ route: 'put', status: 403, times: 1 })],
  },
  {
    name: 'the blob store lost the bytes',
    tree: { 'a.txt': 'a' },
    phases: [
      failing(
        { route: 'assets.complete', status: 500, times: 1 },
        {
          route: 'assets.complete',
          status: 400,
          code: 'publicapi.asset.complete.bytes_missing',
          times: 2,
        },
      ),
    ],
  },
  {
    name: 'a file is refused, and a user retries it',
    tree: { 'a.txt': 'a' },
    phases: [
      failing({ route: 'assets.create', status: 400, times: 1 }),
      { facts: () => [{ type: 'retried', folder: 'docs', path: 'a.txt' }] },
      { facts: () => [{ type: 'checks_wanted', folder: 'docs' }] },
    ],
  },
  {
    name: 'a type rests, and then all of it may go',
    tree: { 'a.txt': 'a' },
    phases: [
      failing({ route: 'assets.create', status: 400, times: 1 }),
      {
        facts: () => [
          { type: 'type_rests', content: 1, refusal: too_large, said: 'answered 400' },
          { type: 'types_freed', content: 1, refusal: too_large },
        ],
      },
    ],
  },
  {
    name: 'a user pauses and resumes',
    tree: { 'a.txt': 'a' },
    phases: [
      { facts: () => [{ type: 'paused', by: 'anna', why: undefined, until_ms: undefined }] },
      { before: (world) => world.write({ 'b.txt': 'b' }), facts: () => [{ type: 'resumed' }] },
    ],
  },
  {
    name: 'a label fails',
    tree: { 'a.txt': 'a', 'b.txt': 'b' },
    folder: { labels: ['team', 'year'] },
    phases: [
      failing({ route: 'assets.attach_label', status: 500, times: 1 }),
      { before: (world) => world.passTime(600_000) },
    ],
  },
  {
    name: 'a moved file gets its name after a failure',
    tree: { 'a.txt': 'a' },
    phases: [
      again,
      {
        before(world) {
          world.move('a.txt', 'b/a.txt')
          const failures = [{ route: 'assets.update', status: 500, times: 1 }] as const
          world.service.injectFaults({ failures: [...failures] })
        },
      },
      again,
    ],
  },
  {
    name: 'the service already has the bytes',
    tree: { 'a.txt': 'a', 'b.txt': 'b' },
    folder: { labels: ['team'] },
    phases: [{ before: (world) => world.upload('a', md5Of('a')) }],
  },
  {
    name: 'the service claims to have the bytes, but has not',
    tree: { 'a.txt': 'bytes that never came' },
    service: { profile: 'hosted' },
    phases: [
      {
        async before(world) {
          const md5 = md5Of('bytes that never came')
          await world.reserve({ filename: 'dead.txt', mime_type: 'text/plain', md5 })
        },
      },
    ],
  },
  {
    name: 'an asset is removed while the service reads it',
    tree: { 'a.txt': 'a' },
    service: { ingest: { delay_ms: 100 } },
    phases: [
      {
        before(world) {
          const takeOff = world.service.on('handled', async ({ place, asset_id }) => {
            if (place !== 'assets.complete' || asset_id === undefined) return
            takeOff()
            await world.service.removeAsset(asset_id)
          })
        },
      },
    ],
  },
  {
    name: 'a file changes just before it is sent',
    tree: { 'a.txt': 'a', 'b.txt': 'b' },
    phases: [again],
    moments(world) {
      let is_changed = false
      return {
        claimedToSend(work) {
          if (
            is_changed ||
            !work.some(({ sources }) => sources.some(({ path }) => path === 'a.txt'))
          )
            return
          is_changed = true
          world.writeJustNow('a.txt', 'a, second version')
        },
      }
    },
  },
  {
    name: 'a file keeps changing',
    tree: { 'b.txt': 'b' },
    phases: [
      { before: (world) => world.writeJustNow('a.txt', 'a') },
      { before: (world) => world.passTime(120_000) },
    ],
    moments(world) {
      let is_changed = false
      return {
        claimedToCheck(paths) {
          if (is_changed || !paths.includes('a.txt')) return
          is_changed = true
          world.writeJustNow('a.txt', 'a, second version')
          world.passTime(120_000)
        },
      }
    },
  },
  {
    name: 'the upload limit holds a file until a user accepts it',
    tree: { 'a.txt': 'a', 'b.txt': 'b' },
    uploads: { limit: { files: 1 } },
    phases: [again, { facts: () => [{ type: 'accepted', folder: 'docs', path: 'b.txt' }] }],
  },
  {
    name: 'no file needs the content, then one does',
    tree: { 'a.txt': 'a' },
    uploads: { min_resend_s: 3_600 },
    phases: [
      again,
      { before: (world) => world.write({ 'a.txt': 'a, second version' }) },
      {
        before: (world) => world.remove('a.txt'),
        facts_after: (world) => [
          { type: 'type_refused', content: 2, error: typeRefusal('txt') },
          { type: 'content_wanted_again', content: 2, not_before_ms: world.clock.now_ms() },
          { type: 'content_orphaned', content: 2 },
          { type: 'content_wanted_again', content: 2, not_before_ms: world.clock.now_ms() },
        ],
      },
      {
        before(world) {
          world.write({ 'a.txt': 'a, second version' })
          world.passTime(2 * 3_600_000)
        },
      },
    ],
  },
  {
    name: 'an alert is sent',
    tree: { 'a.txt': 'a' },
    phases: [
      {
        facts_after() {
          // The deliverer records the result as for a report; the scenarios of prompts cover that.
          const message = {
            message_id: 'alert_1',
            subject: 'Sluice',
            text: 'docs is offline',
            problems: [],
          }
          return [{ type: 'alert_raised', ...message, targets: ['mail'] }]
        },
      },
    ],
  },
  ...audit_scenarios,
  ...prompt_scenarios,
  ...removal_scenarios,
]
