import { fitSentence, formatBytes } from '../../base/text/format.ts'
import { questionIn } from '../../base/text/prompt-lines.ts'
import { localDate } from '../../base/time/time.ts'
import type { HeadLine, ReportHead } from '../../deliver/report-head.ts'
import { filePath } from '../../domain/file.ts'
import type { RunAsset } from '../../domain/run.ts'
import type { RunContent } from '../manifest.ts'
import { type Coverage, coverageLine } from '../plan/coverage.ts'
import { promptOf, sinceOf } from '../plan/question.ts'
import type { PromptSettings } from '../prompt-settings.ts'
import { noteIn, type Words, wordsIn } from '../words.ts'
import { type ToldFile, toldFiles } from './told.ts'

export type HeadRun = Pick<
  RunContent,
  'prompt' | 'due_ms' | 'last_written_due_ms' | 'prompt_began_ms' | 'turns'
> & {
  assets: readonly RunAsset[]
  /** Why the run counts as empty; undefined if it does not. */
  empty?: string | undefined
}

export type HeadSettings = Pick<PromptSettings, 'schedule' | 'scope' | 'first_run' | 'language'>

/** Kinds of files that no question is about, in the order of the report. */
const other_kinds = ['changed_to_known', 'gone', 'moved', 'refused', 'still_refused'] as const

/** Lines of one kind in a report; the manifest has more. */
const max_lines = 200
/** Lines of one kind before the answer, which more would bury. */
const max_before = 20
/** Enough for what a person asks; a long instruction is in the manifest. */
const max_question_columns = 400
/** Places in one file that its line names. */
const max_places = 5

/** The facts of a run. The same run always has the same head, as each try of a delivery needs. */
export function headOf(
  run: HeadRun,
  settings: HeadSettings,
  coverage: Coverage,
  page_url?: string,
): ReportHead {
  const { timezone } = settings.schedule
  const writer = new HeadWriter(settings, coverage, page_url)
  const { words } = writer
  const files = toldFiles(run)
  const groups = [writer.fileLines(files), ...other_kinds.map((kind) => writer.otherLines(kind))]
  const lines = groups.flatMap((group) => group.slice(0, max_before))
  const others = groups.flatMap((group) => group.slice(max_before))
  const known = countsOf(coverage, words)
  const counts = known.length === 0 ? [words.nothing_new] : known
  const told = run.empty === undefined ? counts : [words.empty, ...counts]
  // While a question waits, nothing says what becomes of the files.
  const asked = run.turns.every(({ answer }) => answer !== undefined) ? files : []
  return {
    language: settings.language,
    title: `${run.prompt}, ${writer.day(run.due_ms)}`,
    subject: `${run.prompt} ${localDate(run.due_ms, timezone)}: ${told.join(', ')}`,
    question: questionOf(run),
    period: writer.period(run),
    counts: counts.join(' · '),
    coverage: coverageLine(coverage, timezone, asked, settings.language),
    remarks: run.empty === undefined ? [] : [words.empty_run(noteIn(settings.language, run.empty))],
    lines,
    others,
    more: writer.more(files.length - lines.length - others.length),
    labels: { ...words.labels, others_below: words.others_below(writer.number(others.length)) },
  }
}

function questionOf({ turns, assets }: HeadRun): string {
  const [first] = turns
  if (first === undefined) return ''
  const files = assets.filter(({ turn }) => turn === 0).length
  return fitSentence(questionIn(promptOf(first.body), files), max_question_columns)
}

/** How many of each kind, without zeros. */
function countsOf(coverage: Coverage, { counts, locale }: Words): string[] {
  const { taken, again, changed, changed_to_known } = coverage
  const kinds = ['gone', 'moved', 'refused', 'still_refused'] as const
  const totals = [
    { kind: 'new', total: Math.max(0, taken - again - changed.total) } as const,
    { kind: 'changed', total: changed.total + changed_to_known.total } as const,
    ...kinds.map((kind) => ({ kind, total: coverage[kind].total })),
    { kind: 'again', total: again } as const,
  ]
  return totals
    .filter(({ total }) => total > 0)
    .map(({ kind, total }) => `${total.toLocaleString(locale)} ${counts[kind]}`)
}

/** Puts the facts into words of the prompt's language, with times of its zone. */
class HeadWriter {
  readonly words: Words
  readonly #settings: HeadSettings
  readonly #coverage: Coverage
  readonly #page_url: string | undefined
  readonly #time: Intl.DateTimeFormat

  constructor(settings: HeadSettings, coverage: Coverage, page_url: string | undefined) {
    this.words = wordsIn(settings.language)
    this.#settings = settings
    this.#coverage = coverage
    this.#page_url = page_url
    this.#time = this.#format({ dateStyle: 'medium', timeStyle: 'short' })
  }

  #format(style: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
    const { timezone: timeZone } = this.#settings.schedule
    return new Intl.DateTimeFormat(this.words.locale, { ...style, timeZone })
  }

  day(at_ms: number): string {
    return this.#format({ dateStyle: 'long' }).format(at_ms)
  }

  number(count: number): string {
    return count.toLocaleString(this.words.locale)
  }

  period({ due_ms, last_written_due_ms, prompt_began_ms }: HeadRun): string {
    const { first_run, schedule } = this.#settings
    const from_ms = sinceOf({
      settings: this.#settings,
      run: { due_ms },
      since_ms: last_written_due_ms,
      first_since_ms: first_run === 'from_now' ? prompt_began_ms : undefined,
    })
    const to = this.#time.format(due_ms)
    const times =
      from_ms === undefined
        ? this.words.from_beginning(to)
        : this.words.from_to(this.#time.format(from_ms), to)
    return `${times} (${schedule.timezone})`
  }

  /** The files that need a reader come first: those not read, then those read in part. */
  fileLines(files: readonly ToldFile[]): HeadLine[] {
    const changed = new Set(this.#coverage.changed.files.map(({ name }) => name))
    const in_part = new Map(this.#coverage.in_part.files.map(({ name, why }) => [name, why]))
    const known = files.map((file) => {
      const lacks = in_part.get(file.name)
      const read = lacks !== undefined && file.read !== 'not' ? 'part' : file.read
      return { ...file, read, why: file.why ?? lacks }
    })
    const shown = known.toSorted((a, b) => urgency(a) - urgency(b)).slice(0, max_lines)
    return shown.map((file): HeadLine => {
      const { name, size, arrived_ms, read, times_unread } = file
      const kind = times_unread > 0 ? 'again' : changed.has(name) ? 'changed' : 'new'
      const { counts, decimal } = this.words
      const facts = [
        counts[kind],
        this.#time.format(arrived_ms),
        formatBytes(size).replace('.', decimal),
      ]
      const text = [...facts, ...(read ? [this.#readText(read, file)] : [])].join(', ')
      return { kind, name, text, ...this.#link(name), ...(read && { read }) }
    })
  }

  #readText(read: Amount, { places, why }: Pick<ToldFile, 'places' | 'why'>): string {
    const more = places.length > max_places ? ['…'] : []
    const where = read === 'part' ? [...places.slice(0, max_places), ...more].join(', ') : ''
    const about = [where, why ?? ''].filter((text) => text !== '')
    const text = this.words.read[read]
    return about.length === 0 ? text : `${text} (${about.join('; ')})`
  }

  #link(name: string): { url?: string } {
    const at = name.indexOf('/')
    if (this.#page_url === undefined || at < 0) return {}
    const place = { folder: name.slice(0, at), path: name.slice(at + 1) }
    return { url: `${this.#page_url}${filePath(place)}` }
  }

  otherLines(kind: (typeof other_kinds)[number]): HeadLine[] {
    return this.#coverage[kind].files.slice(0, max_lines).map(({ name, why }) => {
      const link = kind === 'gone' ? {} : this.#link(name)
      return { kind, name, text: this.words.event[kind](why), ...link }
    })
  }

  /** What the lines leave out. `unlisted`: the files, less all lines. */
  more(unlisted: number): string[] {
    const { copies } = this.#coverage
    const count = other_kinds.reduce((sum, kind) => sum + this.#coverage[kind].total, unlisted)
    const { in_manifest, same_bytes } = this.words
    return [
      ...(count > 0 ? [in_manifest(this.number(count))] : []),
      ...(copies > 0 ? [`… ${same_bytes(copies)}`] : []),
    ]
  }
}

type Amount = NonNullable<ToldFile['read']>

function urgency({ read }: Pick<ToldFile, 'read'>): number {
  return read === 'not' ? 0 : read === 'part' ? 1 : 2
}
