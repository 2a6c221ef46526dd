import { SluiceError } from '../base/errors.ts'
import { isoTime } from '../base/time.ts'
import { localTime } from '../base/zone-time.ts'
import type { Config } from '../config/config.ts'
import type { RunState } from '../domain/run.ts'
import type { PromptsView, RunSummary, RunView } from '../ledger/view-prompts.ts'
import { unknownPrompt } from './prompt-named.ts'

/** The zone of a prompt; one that left the configuration is told in UTC. */
export function zoneOf(prompt: string, { prompts }: Pick<Config, 'prompts'>): string {
  return prompts.find(({ name }) => name === prompt)?.schedule.timezone ?? 'UTC'
}

/** As a person can name it again: `weekly-digest@2026-11-23T08:00+01:00`. */
export function runName({ prompt, due_ms }: Pick<RunSummary, 'prompt' | 'due_ms'>, config: Pick<Config, 'prompts'>) {
  return `${prompt}@${localTime(due_ms, zoneOf(prompt, config))}`
}

/** Runs looked through for one that is named by its time: years of a daily prompt. */
const most_searched = 2_000

/** A run by its number, or as PROMPT@TIME, where the beginning of the time is enough. Errors `usage.run`, `usage.prompt`. */
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
  const runs = view.runs(prompt, most_searched)
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

/** A prompt that left the configuration still has its runs. */
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

/** Why it was skipped or failed, or what set it back last. */
export function whyText({ why, error }: Pick<RunSummary, 'why' | 'error'>): string | undefined {
  return why ?? error?.message
}

/** Of several turns the last is over all of them. */
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
