import { z } from 'zod'
import { formatCount, printable } from '../../base/text/format.ts'
import { isoTime, isoTimeOrNull, zonedText } from '../../base/time/time.ts'
import { nextTimes } from '../../prompts/plan/schedule.ts'
import { scheduleText } from '../../prompts/show/run-texts.ts'
import { amountOf, type FolderStatus, sumOfAttention, underway } from '../../status/folders.ts'
import type { StatusView } from '../../status/view.ts'
import { attentionIn, no_daemon, not_known, verdictText } from '../reads/attention.ts'
import { type OwnRuns, withOwnRuns } from '../reads/own-runs.ts'
import { ownStatus } from '../reads/own-status.ts'
import { paged, text_or_none, toolOf } from './tool.ts'

const count = z.int()

/** Tells whether everything is in, and lists the folders and prompts that the user may name. */
export const status = toolOf({
  name: 'status',
  title: 'Is everything in?',
  description:
    'Says whether everything is in and what needs attention, and lists the folders with their counts, and the prompts with their last report and next run.',
  input: z.strictObject(paged),
  output: z.looseObject({
    verdict: z.string().describe('all_ready, incomplete, refused or stale'),
    daemon: z.string().describe('running, stopped or unknown'),
    paused_since: text_or_none,
    attention: z.array(
      z.looseObject({
        message: z.string(),
        hint: text_or_none,
        state: text_or_none.describe('of these files'),
        count: count.nullable().describe('files and places that it is about'),
      }),
    ),
    folders: z.array(
      z.looseObject({
        name: z.string(),
        state: z.string().describe('online, offline, or new: not scanned yet'),
        in: count,
        on_the_way: count,
        attention: count,
        last_scan: text_or_none,
      }),
    ),
    prompts: z.array(
      z.looseObject({
        name: z.string(),
        when: z.string(),
        last_report: text_or_none.describe('when it was due'),
        next_run: text_or_none,
      }),
    ),
    totals: z.object({ attention: count, folders: count, prompts: count }),
    next_cursor: text_or_none.describe('null on the last page of the longest list'),
    has_more: z.boolean(),
  }),
  async run({ limit, cursor }, { tools, viewer, cursors }) {
    const now = await ownStatus(tools, viewer)
    const attention = attentionIn(now)
    const from = cursors.at<number>(cursor) ?? 0
    const to = from + limit
    const [prompts, own] = await withOwnRuns(tools, viewer, (own) => [
      own.config.prompts.slice(from, to).map(promptOf(own, tools.clock.now_ms())),
      own.config.prompts.length,
    ])
    const totals = { attention: attention.length, folders: now.folders.length, prompts: own }
    const has_more = Math.max(...Object.values(totals)) > to
    const lists = {
      attention: attention.slice(from, to),
      folders: now.folders.slice(from, to).map(folderOf),
      prompts,
      totals,
      next_cursor: has_more ? cursors.of(to) : null,
      has_more,
    }
    const state = { daemon: now.daemon.state, paused_since: now.pause?.since ?? null }
    const data = { verdict: now.verdict, ...state, ...lists }
    return { text: textOf(now, lists), data }
  },
})

function folderOf(folder: FolderStatus) {
  const { name, state, reason, last_scan } = folder
  return {
    name,
    state,
    reason,
    in: amountOf([folder], ['ready']).files,
    on_the_way: amountOf([folder], underway).files,
    attention: sumOfAttention([folder]),
    last_scan: last_scan?.ended ?? null,
  }
}

/** The last report of a prompt is the newest that the user may see. */
function promptOf({ lastReport }: OwnRuns, now_ms: number) {
  return ({ name, schedule }: OwnRuns['config']['prompts'][number]) => {
    const report = lastReport(name)
    return {
      name,
      when: scheduleText(schedule),
      last_report: report ? isoTime(report.due_ms) : null,
      next_run: isoTimeOrNull(nextTimes(schedule, now_ms, 1)[0]?.at_ms),
    }
  }
}

interface Lists {
  attention: ReturnType<typeof attentionIn>
  folders: ReturnType<typeof folderOf>[]
  prompts: ReturnType<ReturnType<typeof promptOf>>[]
  next_cursor: string | null
}

function textOf(now: StatusView, { attention, folders, prompts, next_cursor }: Lists): string {
  const { verdict, stale_since, daemon, pause } = now
  const lines = [
    verdict === 'stale' ? `${not_known} ${clock(stale_since)}.` : verdictText(now),
    ...(daemon.state === 'running' ? [] : [no_daemon]),
    ...(pause ? [`A user has paused what goes out since ${clock(pause.since)}.`] : []),
    ...attention.map(({ message, hint, state, count: files }) => {
      const what = state === null ? '' : `${formatCount(files ?? 0)} ${stateText(state)}: `
      return `Needs attention: ${what}${message}${hint === null ? '' : `; ${hint}`}`
    }),
    ...folders.map(
      ({ name, state, reason, last_scan, ...counts }) =>
        `Folder ${name}: ${reason === null ? state : `${state}: ${reason}`}; in: ${formatCount(counts.in)}, on the way: ${formatCount(counts.on_the_way)}, attention: ${formatCount(counts.attention)}; last scan ${clock(last_scan)}`,
    ),
    ...prompts.map(
      ({ name, when, last_report, next_run }) =>
        `Prompt ${name}, ${when}: last report ${clock(last_report)}; next run ${clock(next_run)}`,
    ),
    ...(next_cursor === null ? [] : [`(there is more: cursor ${next_cursor} has the next ones)`]),
  ]
  return lines.map((line) => printable(line)).join('\n')
}

const stateText = (state: string) => state.replaceAll('_', ' ')

function clock(time: string | null): string {
  return time === null ? 'never' : zonedText(Date.parse(time))
}
