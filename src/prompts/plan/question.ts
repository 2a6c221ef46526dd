import { SluiceError } from '../../base/run/errors.ts'
import { formatCount, printable } from '../../base/text/format.ts'
import {
  closing_words,
  fileList,
  hasAnswers,
  lastLine,
  no_start,
  runLine,
  withAnswers,
} from '../../base/text/prompt-lines.ts'
import { renderTemplate } from '../../base/text/template.ts'
import { localDate, localTime } from '../../base/time/time.ts'
import type { RunAsset } from '../../domain/run.ts'
import type { RunWork } from '../../ledger/prompt-work.ts'
import { every_file_skill, type Question, questionBody, type Scope } from '../../remote/chats.ts'
import { chatIdsOf } from '../manifest.ts'
import type { PromptSettings } from '../prompt-settings.ts'
import type { FreshAsset } from './fresh.ts'

/** Characters. The hosted service refused longer prompts (contract/limits.ts). */
export const max_prompt_length = 24_000

/** Characters of a closing question beside the answers: the rest is for those. */
const closing_length = 4_000

/** Maximum turns with files: each takes minutes and costs money. Other files stay fresh. */
const max_batches = 50

export interface TurnsWanted {
  settings: PromptSettings
  run: Pick<RunWork, 'due_ms'>
  /** Oldest arrival first, without those missing on the service; may be more than the run takes. */
  assets: readonly FreshAsset[]
  /** Checked ids of the other kinds: label_ids, chat_ids, … Empty lists count as absent. */
  ids: Omit<Scope, 'asset_ids'>
  /** Due time of the last written run; absent: `first_since_ms`, and without that, no start. */
  since_ms: number | undefined
  first_since_ms?: number | undefined
  /** A refused body, perhaps too long: the file list shrinks until the prompt is half as long. */
  shorter_than?: string | undefined
}

export interface Turns {
  bodies: Question[]
  /** Assets that the run takes, with their turn. */
  assets: RunAsset[]
}

/**
 * Composes the turns of a run. One turn is the rule. If the assets need more and `more_turns` is
 * set, there is one turn per batch and a closing turn. `bodyToSend` puts the answers into its body
 * when they are known. Errors: `prompts.empty_scope`, `prompts.too_long`.
 */
export function composeTurns(wanted: TurnsWanted): Turns {
  const { settings, assets } = wanted
  const batches = batchesOf(assets, settings)
  const turns = batches.length > 1 ? batches.length + 1 : 1
  const bodies = batches.map((batch, turn) => {
    const prompt = composePrompt(wanted, batch, runLineOf(wanted, turn, turns))
    const asset_ids = batch.map(({ asset_id }) => asset_id)
    return question(settings, prompt, filledScope(settings, { ...wanted.ids, asset_ids }))
  })
  const taken = batches.flatMap((batch, turn) =>
    batch.map(({ files: _, ...asset }) => ({ ...asset, turn })),
  )
  // Until the chats are known, the closing turn has the first batch as its scope: never too wide.
  const { scope } = bodies[0]!
  if (turns > 1) bodies.push({ ...closing(wanted, taken, turns), scope })
  return { bodies, assets: taken }
}

/** Oldest arrival first. A run without files has one empty batch. */
function batchesOf(
  assets: readonly FreshAsset[],
  { max_assets, when_too_many }: PromptSettings,
): FreshAsset[][] {
  const batches = [assets.slice(0, max_assets)]
  const max = when_too_many === 'more_turns' ? max_batches : 1
  while (batches.length < max && batches.length * max_assets < assets.length) {
    batches.push(assets.slice(batches.length * max_assets, (batches.length + 1) * max_assets))
  }
  return batches
}

export function maxTaken({ max_assets, when_too_many }: PromptSettings): number {
  return when_too_many === 'more_turns' ? max_assets * max_batches : max_assets
}

/** The exact request body, stored in the ledger before it is sent. */
export function requestBody(asked: Question): string {
  return questionBody(asked)
}

/** The current turn's body, to store and send. The closing turn now gets the answers. */
export function bodyToSend(
  work: RunWork,
  settings: PromptSettings,
  max_length = max_prompt_length,
): string {
  const { turn, turns } = work
  return isClosing(work)
    ? requestBody(closingQuestion(settings, work, max_length))
    : turns[turn]!.body
}

/** True for the turn over the answers to all parts. */
export function isClosing({ turn, turns }: Pick<RunWork, 'turn' | 'turns'>): boolean {
  return turns.length > 1 && turn === turns.length - 1
}

/** Asks for one report over the answers to all parts; their chats have those that are cut. */
export function closingQuestion(
  settings: PromptSettings,
  { turns }: Pick<RunWork, 'turns'>,
  max_length: number,
): Question {
  const parts = turns.slice(0, -1)
  const chat_ids = chatIdsOf({ turns: parts })
  const scope = chat_ids.length > 0 ? { chat_ids } : scopeIn(turns[0]!.body)
  const answers = answersOf(parts)
  const asked = promptOf(turns.at(-1)!.body)
  const prompt = answers.length > 0 ? withAnswers(asked, answers, max_length) : asked
  return question({ ...settings, read: 'search' }, prompt, scope)
}

/** The note on answers that the closing question, as sent, has only in part; undefined: none. */
export function cutText({ turn, turns }: Pick<RunWork, 'turn' | 'turns'>): string | undefined {
  const prompt = promptOf(turns[turn]!.body)
  // A question of an earlier version went to the chat that had all answers.
  if (!hasAnswers(prompt)) return undefined
  const cut = answersOf(turns).flatMap((text, part) => (prompt.includes(text) ? [] : [part + 1]))
  if (cut.length === 0) return undefined
  const which = cut.length === 1 ? `part ${cut[0]} was` : `parts ${cut.join(', ')} were`
  return `${which} cut in the closing question: the whole answer stands below the report`
}

function answersOf(turns: RunWork['turns']): string[] {
  return turns.flatMap(({ answer }) => answer?.trim() ?? [])
}

function closing(wanted: TurnsWanted, taken: readonly RunAsset[], turns: number): Question {
  const line = runLineOf(wanted, turns - 1, turns)
  return question(
    { ...wanted.settings, read: 'search' },
    composePrompt(wanted, taken, line, {
      before: `${closing_words}\n\n`,
      max_length: closing_length,
    }),
    undefined,
  )
}

export type AskedFields = Pick<
  PromptSettings,
  'intelligence' | 'provider' | 'skills' | 'public_data' | 'read'
>

/** `scope` has no empty list; undefined: the whole project. */
export function question(fields: AskedFields, prompt: string, scope: Scope | undefined): Question {
  const { intelligence, provider, public_data, read } = fields
  const skills = read === 'every_file' ? [every_file_skill, ...fields.skills] : fields.skills
  return {
    prompt,
    intelligence,
    provider,
    skills: skills.length === 0 ? undefined : skills,
    public_data,
    scope,
  }
}

/** Keeps only kinds with ids. Undefined without any: that would mean the whole project. */
export function filledKinds(scope: Scope): Scope | undefined {
  const filled = Object.entries(scope).filter(([, ids]) => ids !== undefined && ids.length > 0)
  return filled.length === 0 ? undefined : Object.fromEntries(filled)
}

function filledScope({ name }: PromptSettings, scope: Scope): Scope {
  const filled = filledKinds(scope)
  if (filled) return filled
  throw new SluiceError({
    code: 'prompts.empty_scope',
    message: `the prompt ${name} has nothing to ask about: no files, and nothing else in its scope`,
    hint: 'nothing was asked, because an empty scope would mean the whole project; give the prompt folders with files, labels or chats',
  })
}

function runLineOf({ settings, run }: TurnsWanted, turn: number, turns: number): string {
  return runLine(settings.name, run.due_ms, settings.schedule.timezone, turn, turns)
}

/** Fills the template and ends it with the run line. A long prompt lists fewer files. */
function composePrompt(
  wanted: TurnsWanted,
  assets: readonly Pick<RunAsset, 'name'>[],
  line: string,
  { before = '', max_length = limitOf(wanted) } = {},
): string {
  const names = assets.map(({ name }) => printable(name))
  const values = valuesOf(wanted, names.length)
  const compose = (shown: number) => {
    const rendered = renderTemplate(wanted.settings.prompt, {
      ...values,
      files: fileList(names, shown),
    })
    return `${before}${rendered.trimEnd()}\n\n${line}`
  }
  const whole = compose(names.length)
  if (whole.length <= max_length) return whole
  let fits = 0
  let min_too_many = names.length
  while (min_too_many - fits > 1) {
    const middle = (fits + min_too_many) >> 1
    if (compose(middle).length <= max_length) fits = middle
    else min_too_many = middle
  }
  const shortest = compose(fits)
  if (shortest.length <= max_prompt_length) return shortest
  throw new SluiceError({
    code: 'prompts.too_long',
    message: `the prompt ${wanted.settings.name} has ${formatCount(shortest.length)} characters without its list of files`,
    hint: `the service takes ${formatCount(max_prompt_length)}; shorten the prompt`,
  })
}

function limitOf({ shorter_than }: TurnsWanted): number {
  if (shorter_than === undefined) return max_prompt_length
  return Math.min(max_prompt_length, promptOf(shorter_than).length >> 1)
}

function valuesOf(wanted: TurnsWanted, count: number): Record<string, string> {
  const { settings, run } = wanted
  const { timezone } = settings.schedule
  return {
    name: settings.name,
    date: localDate(run.due_ms, timezone),
    due: localTime(run.due_ms, timezone),
    folders: settings.scope.folders.map(printable).join(', '),
    since: sinceText(wanted),
    count: formatCount(count),
  }
}

function sinceText(wanted: TurnsWanted): string {
  const from_ms = sinceOf(wanted)
  const { timezone } = wanted.settings.schedule
  return from_ms === undefined ? no_start : localTime(from_ms, timezone)
}

/** Since when files count as new; undefined: since the beginning. */
export function sinceOf({
  settings,
  run,
  since_ms,
  first_since_ms,
}: Pick<TurnsWanted, 'run' | 'since_ms' | 'first_since_ms'> & {
  settings: Pick<PromptSettings, 'scope'>
}): number | undefined {
  const { fresh } = settings.scope
  if (fresh === 'all') return undefined
  return fresh === 'since_last_run' ? (since_ms ?? first_since_ms) : run.due_ms - fresh.within_ms
}

/** True if a prompt from the service has the line of this run, or of this run's current turn. */
export function matchesRun(prompt: string, run: string | Pick<RunWork, 'turn' | 'turns'>): boolean {
  const line = typeof run === 'string' ? run : lastLine(promptOf(run.turns[run.turn]!.body))
  return line !== '' && lastLine(prompt) === line
}

/** True if the body asks the service to read each file whole. */
export function asksForEveryFile(body: string): boolean {
  return (JSON.parse(body) as Question).skills?.includes(every_file_skill) ?? false
}

export function scopeIn(body: string): Scope {
  return (JSON.parse(body) as { scope?: Scope }).scope ?? {}
}

export function promptOf(body: string): string {
  return (JSON.parse(body) as { prompt: string }).prompt
}
