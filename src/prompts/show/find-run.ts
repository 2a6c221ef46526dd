import { SluiceError } from '../../base/run/errors.ts'
import { didYouMeanText, knownAre } from '../../base/text/did-you-mean.ts'
import { parseTime_ms } from '../../base/time/parse-time.ts'
import { localTime, minute_ms } from '../../base/time/time.ts'
import type { ReportHead } from '../../deliver/report-head.ts'
import { receiverNamed } from '../../domain/delivery.ts'
import { stateText } from '../../domain/run.ts'
import type {
  DeliveryView,
  PromptsView,
  RunSummary,
  RunView,
} from '../../ledger/views/view-prompts.ts'
import type { PromptSettings } from '../prompt-settings.ts'
import { type HeadSettings, headOf } from '../report/head.ts'
import { coverageOf } from '../report/report.ts'

export interface Configured {
  readonly prompts: readonly PromptSettings[]
}

/** The time zone of a prompt. UTC if the prompt left the configuration. */
export function zoneOf(prompt: string, { prompts }: Configured): string {
  return settingsOf(prompt, prompts)?.schedule.timezone ?? 'UTC'
}

/** The facts of a run, with times of `timezone`; absent: of the prompt's zone. */
export function runHead(
  { planned_assets, ...run }: RunView,
  { prompts }: Configured,
  timezone = zoneOf(run.prompt, { prompts }),
): ReportHead {
  const settings = settingsOf(run.prompt, prompts) ?? left_configuration
  const of_zone = { ...settings, schedule: { ...settings.schedule, timezone } }
  return headOf({ ...run, assets: planned_assets }, of_zone, coverageOf(run))
}

const no_others = { labels: [], chats: [], concepts: [], projects: [], views: [] }
const left_configuration: HeadSettings = {
  schedule: { cron: '', timezone: 'UTC' },
  scope: { folders: [], paths: [], fresh: 'since_last_run', ...no_others },
  first_run: 'all',
  language: 'en',
}

/** The receiver of a delivery, for people. */
export function receiverOf(
  { prompt, target }: Pick<DeliveryView, 'prompt' | 'target'>,
  { prompts }: Configured,
  is_brief = false,
): string {
  return receiverNamed(target, settingsOf(prompt, prompts)?.deliver, is_brief)
}

function settingsOf(prompt: string, prompts: Configured['prompts']): PromptSettings | undefined {
  return prompts.find(({ name }) => name === prompt)
}

/**
 * The name of a run to the minute, such as `weekly-digest@2026-11-23T08:00+01:00`. Commands accept
 * it. Runs by hand within a minute share it.
 */
export function runName({ prompt, due_ms }: NamedRun, config: Configured): string {
  return wholeName({ prompt, due_ms: due_ms - (due_ms % minute_ms) }, config)
}

type NamedRun = Pick<RunSummary, 'prompt' | 'due_ms'>

/** With the seconds and milliseconds of a run by hand, as in `--json`. */
function wholeName({ prompt, due_ms }: NamedRun, config: Configured): string {
  return `${prompt}@${localTime(due_ms, zoneOf(prompt, config))}`
}

/** Newest runs of a prompt among which a time is searched: years of a daily prompt. */
const max_searched = 2_000

/** By number or PROMPT@TIME (its beginning suffices). Errors `usage.run`, `usage.prompt`. */
export function runNamed(text: string, view: PromptsView | undefined, config: Configured): RunView {
  const found =
    view && (/^\d+$/.test(text) ? view.run(Number(text)) : runByTime(text, view, config))
  if (found) return found
  throw new SluiceError({
    code: 'usage.run',
    message: `there is no run ${text}`,
    hint: '`sluice prompts history PROMPT` shows the runs with their numbers',
  })
}

/**
 * As `runNamed`. The name of a prompt means its newest report, or without one its newest run.
 * `has_later`: a run came after that report. Also error `answer.no_run`: the prompt has not run.
 */
export function runShown(text: string, view: PromptsView | undefined, config: Configured) {
  if (/^\d+$|@/.test(text)) return { run: runNamed(text, view, config), has_later: false }
  refuseUnknown(text, view, config)
  const runs = view?.runs(text, max_searched) ?? []
  const shown = runs.find(({ state }) => state === 'written') ?? runs[0]
  if (shown) return { run: view!.run(shown.run)!, has_later: shown !== runs[0] }
  throw new SluiceError({
    code: 'answer.no_run',
    message: `${text} has not run yet`,
    hint: `\`sluice prompts next\` shows when it will; \`sluice prompts run ${text}\` runs it now`,
  })
}

function runByTime(text: string, view: PromptsView, config: Configured): RunView | undefined {
  const at = text.lastIndexOf('@')
  if (at < 0) return undefined
  const prompt = text.slice(0, at)
  const time = text.slice(at + 1)
  refuseUnknown(prompt, view, config)
  // Without an offset it is the beginning of a name, not a time of this machine's zone.
  const due_ms = /(Z|[+-]\d\d:\d\d)$/.test(time) ? parseTime_ms(time) : undefined
  const runs = view.runs(prompt, max_searched)
  const exact = runs.find((run) => run.due_ms === due_ms)
  const names = (run: RunSummary) => [runName(run, config), wholeName(run, config)]
  const begun = exact
    ? [exact]
    : runs.filter((run) => names(run).some((name) => name.startsWith(text)))
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
  { prompts }: Configured,
): void {
  const known = [...prompts, ...(view?.prompts() ?? [])].map(({ name }) => name)
  if (!known.includes(prompt)) throw unknownPrompt(prompt, [...new Set(known)])
}

/** What the user has named, or the only prompt. Error `usage.prompt`: none or several are there. */
export function namedOrOnly(named: string | undefined, { prompts }: Configured): string {
  const [only, ...others] = prompts.map(({ name }) => name)
  if (named !== undefined) return named
  if (only === undefined) throw unknownPrompt('', [])
  if (others.length === 0) return only
  throw new SluiceError({
    code: 'usage.prompt',
    message: 'which prompt? There are several',
    hint: `name one of them: ${[only, ...others].join(', ')}`,
  })
}

/** Error `usage.prompt`: the configuration has none of that name, or none at all. */
export function promptNamed(name: string, { prompts }: Configured): PromptSettings {
  const found = prompts.find((prompt) => prompt.name === name)
  if (found) return found
  throw unknownPrompt(
    name,
    prompts.map((prompt) => prompt.name),
  )
}

function unknownPrompt(name: string, known: readonly string[]): SluiceError {
  if (known.length === 0) {
    return new SluiceError({
      code: 'usage.prompt',
      message: 'no prompts are configured',
      hint: no_prompts_hint,
    })
  }
  const hint = didYouMeanText(name, known, knownAre('prompt', known))
  return new SluiceError({ code: 'usage.prompt', message: `there is no prompt ${name}`, hint })
}

export const no_prompts_hint =
  'add `prompts:` to the configuration: docs/prompts.md has three to begin with'

/**
 * The deliveries to send. A finished one is never sent again: receivers rely on that. One that is
 * new in the configuration must be named. Errors `usage.run`, `usage.target`.
 */
export function targetsOf(
  run: RunView,
  target: string | undefined,
  { prompts }: Configured,
): string[] {
  if (run.state !== 'written') {
    throw new SluiceError({
      code: 'usage.run',
      message: `run ${run.run} has no report to deliver: ${stateText(run.state)}`,
      hint: '`sluice prompts history PROMPT` shows the runs that have',
    })
  }
  const open = run.deliveries
    .filter(({ state }) => state !== 'done')
    .map((delivery) => delivery.target)
  if (target === undefined) return open
  const configured =
    prompts.find(({ name }) => name === run.prompt)?.deliver.map(({ name }) => name) ?? []
  const known = run.deliveries.map((delivery) => delivery.target)
  if (known.includes(target)) return open.filter((name) => name === target)
  if (configured.includes(target)) return [target]
  const names = [...new Set([...known, ...configured])].map((name) => {
    const text = receiverOf({ prompt: run.prompt, target: name }, { prompts })
    return text.startsWith(name) ? text : `${name} (${text})`
  })
  throw new SluiceError({
    code: 'usage.target',
    message: `run ${run.run} has no delivery called ${target}`,
    hint: names.length === 0 ? 'its prompt has no deliveries' : `it has ${names.join(', ')}`,
  })
}
