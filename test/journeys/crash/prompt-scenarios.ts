import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { day_ms, hour_ms } from '../../../src/base/time/time.ts'
import { md5Of } from '../rig/disk-truth.ts'
import type { Phase, Scenario } from './scenarios.ts'
import type { World } from './world.ts'

const run_is_over = `EXISTS (SELECT 1 FROM runs WHERE ended_ms IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM runs WHERE ended_ms IS NULL)
  AND NOT EXISTS (SELECT 1 FROM deliveries WHERE state = 'wanted')`

/** The files are uploaded before the due time. */
const before: Phase = {}

function due(
  also: (world: World) => void | Promise<void> = () => {},
  until = run_is_over,
  late_ms = 0,
): Phase {
  return {
    async before(world) {
      await also(world)
      world.passTime(world.prompt!.leftUntilDue_ms(world.clock.now_ms()) + late_ms)
    },
    until: (world) => world.prompt!.holds(until),
  }
}

const tree = { 'a.txt': 'The harbour is new.' }
/**
 * A pass of its own: files that arrive together have an order that depends on the speed of the
 * machine, and so does the report.
 */
const second: Phase = { before: (world) => world.write({ 'b.txt': 'The bridge is old.' }) }

/** A daemon in watch mode, with a prompt over its files. */
export const prompt_scenarios: Scenario[] = [
  { name: 'a prompt is asked', tree, prompt: { asks: 1 }, phases: [before, due()] },
  {
    name: 'a prompt is asked in several turns',
    tree,
    prompt: { asks: 3, fields: { max_assets: 1, when_too_many: 'more_turns' } },
    phases: [before, second, due()],
  },
  {
    name: 'the service answers slowly, and the run waits for the last file',
    tree,
    service: { answer_delay_ms: 200, ingest: { delay_ms: 300 } },
    prompt: { asks: 1 },
    phases: [before, due((world) => world.write({ 'c.txt': 'The tower is high.' }))],
  },
  {
    name: 'one receiver fails for a while, another forever',
    tree,
    prompt: { asks: 1, receiver: [500, 200] },
    phases: [
      before,
      due((world) => void mkdirSync(join(world.prompt!.copies, 'copy.md'), { recursive: true })),
    ],
  },
  {
    name: 'a failed delivery is requested again',
    tree,
    prompt: { asks: 1, receiver: [400, 200] },
    phases: [
      before,
      due(),
      {
        facts: () => [{ type: 'delivery_wanted_again', run: 1, targets: ['hook'] }],
        until: (world) => world.prompt!.holds(run_is_over),
      },
    ],
  },
  {
    name: 'a prompt has nothing new',
    tree,
    prompt: { asks: 0, fields: { scope: { folders: ['docs'], paths: ['*.pdf'] } } },
    phases: [before, due()],
  },
  {
    name: 'a question is refused',
    tree,
    prompt: { asks: 0 },
    phases: [
      before,
      due((world) =>
        world.service.injectFaults({ failures: [{ route: 'chats.start', status: 400 }] }),
      ),
    ],
  },
  {
    name: 'a question is refused for a moment',
    tree,
    prompt: { asks: 1 },
    phases: [
      before,
      due((world) =>
        world.service.injectFaults({ failures: [{ route: 'chats.start', status: 429, times: 1 }] }),
      ),
    ],
  },
  {
    name: 'an answer ends in an error',
    tree,
    prompt: { asks: 2 },
    phases: [before, due((world) => world.service.injectFaults({ failed_answers: 1 }))],
  },
  {
    name: 'the answer to a question is lost',
    tree,
    prompt: { asks: 1 },
    phases: [
      before,
      due((world) =>
        world.service.injectFaults({
          failures: [
            { route: 'chats.start', status: 500, times: 1, when: 'after', drop_connection: true },
          ],
        }),
      ),
    ],
  },
  {
    name: 'a report cannot be written for a while',
    tree,
    prompt: { asks: 1 },
    phases: [
      before,
      due(
        (world) => writeFileSync(world.prompt!.reports, 'in the way'),
        "EXISTS (SELECT 1 FROM runs WHERE state = 'answered' AND attempts > 0)",
      ),
      {
        before(world) {
          rmSync(world.prompt!.reports)
          world.passTime(hour_ms)
        },
        until: (world) => world.prompt!.holds(run_is_over),
      },
    ],
  },
  {
    name: 'the ledger is new, and a report exists',
    tree,
    prompt: { asks: 1 },
    phases: [{ before: writeOldManifest }, second, due()],
  },
  {
    name: 'a due time is missed by far',
    tree,
    prompt: { asks: 0, fields: { catch_up: '0ms' } },
    phases: [before, due(undefined, undefined, day_ms)],
  },
  {
    name: 'the clock was far ahead',
    tree,
    prompt: { asks: 0 },
    phases: [
      before,
      {
        before: (world) => world.passTime(-3 * day_ms),
        until: (world) =>
          world.prompt!.holds(
            `NOT EXISTS (SELECT 1 FROM prompts WHERE checked_ms > ${world.clock.now_ms()})`,
          ),
      },
    ],
  },
  {
    name: 'an asset is removed before it is asked about',
    tree,
    prompt: { asks: 1 },
    phases: [
      before,
      second,
      due(async ({ service, project_id }) => {
        const asset = service.assets(project_id).find(({ md5 }) => md5 === md5Of(tree['a.txt']))!
        await service.removeAsset(asset.asset_id)
      }),
    ],
  },
]

/** The manifest of a run before the ledger was lost, which covered a.txt. */
function writeOldManifest({ project_id, prompt }: World): void {
  const text = tree['a.txt']
  const manifest = {
    format: 'sluice-run',
    version: 1,
    prompt: 'digest',
    project_id,
    began_ms: prompt!.due_ms - 14 * day_ms,
    due_ms: prompt!.due_ms - 7 * day_ms,
    assets: [{ md5: md5Of(text), size: text.length }],
  }
  mkdirSync(prompt!.reports)
  writeFileSync(join(prompt!.reports, 'digest-old.json'), JSON.stringify(manifest))
  writeFileSync(join(prompt!.reports, 'digest-old.md'), 'The harbour is new.\n')
}
