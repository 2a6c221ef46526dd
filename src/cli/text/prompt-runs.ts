import { SluiceError } from '../../base/run/errors.ts'
import { didYouMeanText } from '../../base/text/did-you-mean.ts'
import { printable } from '../../base/text/format.ts'
import { type Clock, isoTime, localTime, second_ms } from '../../base/time/time.ts'
import type { Config, PromptConfig } from '../../config/config.ts'
import { isFinal, type RunState } from '../../domain/run.ts'
import type { DeliveryView, PromptsView, RunSummary, RunView } from '../../ledger/views/view-prompts.ts'
import { coverageLine } from '../../prompts/plan/coverage.ts'
import type { Schedule } from '../../prompts/prompt-settings.ts'
import { coverageOf } from '../../prompts/report/report.ts'
import { printFitted } from './print.ts'
import type { Terminal } from './terminal.ts'

/** The time zone of a prompt. UTC if the prompt left the configuration. */
export function zoneOf(prompt: string, { prompts }: Pick<Config, 'prompts'>): string {
  return prompts.find(({ name }) => name === prompt)?.schedule.timezone ?? 'UTC'
}

/** The name of a run, such as `weekly-digest@2026-11-23T08:00+01:00`. Commands accept it. */
export function runName({ prompt, due_ms }: Pick<RunSummary, 'prompt' | 'due_ms'>, config: Pick<Config, 'prompts'>) {
  return `${prompt}@${localTime(due_ms, zoneOf(prompt, config))}`
}

/** Newest runs of a prompt among which a time is searched: years of a daily prompt. */
const max_searched = 2_000

/**
 * Finds a run by its number or as PROMPT@TIME; the beginning of the time is enough. Errors
 * `usage.run`, `usage.prompt`.
 */
export function runNamed(text: string, view: PromptsView | undefined, config: Pick<Config, 'prompts'>): RunView {
  const found = view && (/^\d+$/.test(text) ? view.run(Number(text)) : runByTime(text, view, config))
  if (found) return found
  throw new SluiceError({
    code: 'usage.run',
    message: `there is no run ${text}`,
    hint: '`sluice prompts history PROMPT` shows the runs with their numbers',
  })
}

function runByTime(text: string, view: PromptsView, config: Pick<Config, 'prompts'>): RunView | undefined {
  const at = text.lastIndexOf('@')
  if (at < 0) return undefined
  const prompt = text.slice(0, at)
  const time = text.slice(at + 1)
  refuseUnknown(prompt, view, config)
  // Without an offset it is the beginning of what runName shows, not a time of this machine's zone.
  const due_ms = /(Z|[+-]\d\d:\d\d)$/.test(time) ? Date.parse(time) : undefined
  const runs = view.runs(prompt, max_searched)
  const exact = runs.find((run) => run.due_ms === due_ms)
  const begun = exact ? [exact] : runs.filter((run) => runName(run, config).startsWith(text))
  if (begun.length > 1) {
    throw new SluiceError({
      code: 'usage.run',
      message: `${text} may be ${begun.length} runs`,
      hint: `name one of them: ${begun.map(({ run }) => run).join(', ')}`,
    })
  }
  return begun[0] && view.run(begun[0].run)
}

/** Error `usage.prompt`. A prompt that left the configuration still has its runs. */
export function refuseUnknown(
  prompt: string,
  view: PromptsView | undefined,
  { prompts }: Pick<Config, 'prompts'>,
): void {
  const known = [...prompts, ...(view?.prompts() ?? [])].map(({ name }) => name)
  if (!known.includes(prompt)) throw unknownPrompt(prompt, [...new Set(known)])
}

const state_texts: Record<RunState, string> = {
  due: 'waiting for files',
  planned: 'about to ask',
  asking: 'asking',
  asked: 'waiting for the answer',
  answered: 'writing the report',
  written: 'written',
  skipped: 'skipped',
  failed: 'failed',
}

export function stateText(state: RunState): string {
  return state_texts[state]
}

/** Why the run was skipped or failed, or why it was deferred last. */
export function whyText({ why, error }: Pick<RunSummary, 'why' | 'error'>): string | undefined {
  return why ?? error?.message
}

/** The answer of the last turn, which covers all turns. */
export function answerOf({ turns }: Pick<RunView, 'turns'>): string {
  return turns.at(-1)?.answer ?? ''
}

/** A run as JSON. Times are ISO 8601 UTC; null: not known, or none. */
export function runAnswer(run: RunSummary, config: Pick<Config, 'prompts'>) {
  const { run: number, prompt, due_ms, cause, state, began_ms, ended_ms, assets, refusals, report_path } = run
  return {
    run: number,
    prompt,
    due: isoTime(due_ms),
    due_local: localTime(due_ms, zoneOf(prompt, config)),
    cause,
    state,
    why: whyText(run) ?? null,
    began: isoTime(began_ms),
    ended: ended_ms === undefined ? null : isoTime(ended_ms),
    assets,
    refusals,
    report: report_path ?? null,
  }
}

/** Prints a run without its report. */
export function printRun(run: RunView, config: Config, terminal: Terminal): void {
  const why = whyText(run)
  const state = `${stateText(run.state)}${why === undefined ? '' : `: ${why}`}`
  const name = `run ${run.run}  ${printable(runName(run, config))}`
  printFitted(terminal, `${name}  ${state}`, name)
  const coverage = coverageText(run, config)
  if (coverage !== undefined) printFitted(terminal, coverage)
  for (const note of run.notes) printFitted(terminal, `note: ${note}`)
  if (run.report_path !== undefined) terminal.out(`report: ${printable(run.report_path)}`)
  for (const delivery of run.deliveries) {
    printFitted(terminal, deliveryText(delivery))
    for (const line of outputLines(delivery)) terminal.out(terminal.styles.dim(line))
  }
}

/** How complete the report of a run is; undefined before it is written. */
export function coverageText(run: RunView, config: Config): string | undefined {
  return run.coverage === undefined ? undefined : coverageLine(coverageOf(run), zoneOf(run.prompt, config))
}

/** A delivery as JSON. */
export function deliveryAnswer({ target, state, attempts, not_before_ms, ended_ms, error, output }: DeliveryView) {
  return {
    target,
    state,
    attempts,
    ended: ended_ms === undefined ? null : isoTime(ended_ms),
    next_try: state === 'wanted' ? isoTime(not_before_ms) : null,
    error: error ?? null,
    output: output ?? null,
  }
}

/** Error `usage.prompt`: the configuration has none of that name, or none at all. */
export function promptNamed(name: string, { prompts }: Pick<Config, 'prompts'>): PromptConfig {
  const found = prompts.find((prompt) => prompt.name === name)
  if (found) return found
  throw unknownPrompt(
    name,
    prompts.map((prompt) => prompt.name),
  )
}

function unknownPrompt(name: string, known: readonly string[]): SluiceError {
  if (known.length === 0) {
    return new SluiceError({ code: 'usage.prompt', message: 'no prompts are configured', hint: no_prompts_hint })
  }
  const hint = didYouMeanText(name, known)
  return new SluiceError({ code: 'usage.prompt', message: `there is no prompt ${name}`, hint })
}

export const no_prompts_hint = 'add `prompts:` to the configuration: docs/prompts.md has three to begin with'

const days = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays']

/** A schedule in words where it is a usual one, else the cron expression; with its zone. */
export function scheduleText({ cron, timezone }: Schedule): string {
  return `${inWords(cron.trim().replace(/\s+/g, ' ')) ?? cron} ${timezone}`
}

function inWords(cron: string): string | undefined {
  const fields = /^(\d+) (\d+|\*) \* \* (\*|1-5|[0-7])$/.exec(cron)
  if (!fields) return undefined
  const [, minute = '', hour = '', day = ''] = fields
  if (hour === '*') return day === '*' ? `hourly at :${minute.padStart(2, '0')}` : undefined
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  if (day === '*') return `daily ${time}`
  return `${day === '1-5' ? 'Mondays to Fridays' : days[Number(day)]} ${time}`
}

/** One delivery of a run, in a line: where it stands, and its last error. */
export function deliveryText({ target, state, attempts, not_before_ms, error }: DeliveryView): string {
  const why = error === undefined ? '' : `: ${printable(error.message)}`
  const name = `delivery ${printable(target)}`
  if (state === 'done') return `${name}: delivered`
  if (state === 'failed') return `${name}: given up${why}`
  if (attempts === 0) return `${name}: not tried yet`
  return `${name}: failed ${attempts} ${attempts === 1 ? 'time' : 'times'}, tried again ${isoTime(not_before_ms)}${why}`
}

/** The last lines of the output of its command. */
function outputLines({ output }: Pick<DeliveryView, 'output'>): string[] {
  return output === undefined || output === '' ? [] : output.split('\n').map((line) => `  | ${printable(line)}`)
}

/** How long to wait for the first try of each delivery. The report is there in any case. */
const max_delivery_wait_ms = 30 * second_ms
const poll_ms = 200

/**
 * Waits until a run is final and, if it is written, every delivery was tried or half a minute has
 * passed. Undefined after an abort. `check` is called now and then and throws if no process works
 * on the run any more.
 */
export async function awaitRun(options: {
  view: PromptsView
  run: number
  clock: Clock
  signal: AbortSignal
  check: () => Promise<unknown>
}): Promise<RunView | undefined> {
  const { view, run: number, clock, signal, check } = options
  let written_since_ms: number | undefined
  for (let polls = 1; !signal.aborted; polls++) {
    const run = view.run(number)
    if (run && isFinal(run.state)) {
      written_since_ms ??= clock.monotonic_ms()
      const untried = run.deliveries.some(({ state, attempts }) => state === 'wanted' && attempts === 0)
      if (!untried || clock.monotonic_ms() - written_since_ms > max_delivery_wait_ms) return run
    }
    if (polls % 20 === 0) await check()
    await clock.sleep(poll_ms, signal)
  }
  return undefined
}
