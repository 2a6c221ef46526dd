import { counted, escapeMarkdown, formatSpan } from '../../base/text/format.ts'
import { zonedText } from '../../base/time/time.ts'
import type { ReportedProblem } from '../../domain/delivery.ts'
import type { Problem } from './problems.ts'

/** Content of an alert about a change of the health. */
export interface AlertDue {
  /** New problems that no alert has reported; empty until `group_ms` has passed. */
  began: Problem[]
  /** Reported problems that have been absent for `resolve_after_ms`. */
  over: ReportedProblem[]
  /** Reported problems that are still there, or have not been absent for long enough. */
  lasting: ReportedProblem[]
}

export interface AlertTimes {
  readonly group_ms: number
  readonly resolve_after_ms: number
}

/**
 * Decides when an alert is due: only after a change. The first new problem opens a window of
 * `group_ms`. One message reports all new problems that are open at its end. A reported problem
 * counts as resolved after `resolve_after_ms` without it, so a problem that comes and goes is
 * reported once. The constructor gets the reported problems from the ledger, so a restart neither
 * repeats nor forgets one.
 */
export class AlertJudge {
  #reported: Map<string, ReportedProblem>
  #window_ms: number | undefined
  readonly #right_since_ms = new Map<string, number>()

  constructor(reported: readonly ReportedProblem[]) {
    this.#reported = byName(reported)
  }

  /** The alert that is due. It counts as reported after `markReported`. `now_ms`: monotonic. */
  judge(
    problems: readonly Problem[],
    now_ms: number,
    { group_ms, resolve_after_ms }: AlertTimes,
  ): AlertDue | undefined {
    const standing = byName(problems)
    const fresh = [...standing].flatMap(([name, problem]) =>
      this.#reported.has(name) ? [] : [problem],
    )
    this.#window_ms = fresh.length === 0 ? undefined : (this.#window_ms ?? now_ms)
    const over: ReportedProblem[] = []
    const lasting: ReportedProblem[] = []
    for (const [name, reported] of this.#reported) {
      if (standing.has(name)) this.#right_since_ms.delete(name)
      else if (!this.#right_since_ms.has(name)) this.#right_since_ms.set(name, now_ms)
      const since_ms = this.#right_since_ms.get(name)
      if (since_ms !== undefined && now_ms - since_ms >= resolve_after_ms) over.push(reported)
      else lasting.push(reported)
    }
    const began = this.#window_ms !== undefined && now_ms - this.#window_ms >= group_ms ? fresh : []
    return began.length + over.length === 0 ? undefined : { began, over, lasting }
  }

  markReported(due: AlertDue): void {
    this.#reported = byName(reportedAfter(due))
    // An alert that only reports resolved problems leaves the window of new ones open.
    if (due.began.length > 0) this.#window_ms = undefined
    for (const name of [...this.#right_since_ms.keys()]) {
      if (!this.#reported.has(name)) this.#right_since_ms.delete(name)
    }
  }
}

/** Open problems that count as reported once this alert is sent. */
export function reportedAfter({ began, lasting }: AlertDue): ReportedProblem[] {
  const reported = began.map(({ hint: _, ...problem }) => problem)
  return [...lasting, ...reported]
}

function byName<Named extends { kind: string; about: string }>(
  problems: readonly Named[],
): Map<string, Named> {
  return new Map(problems.map((problem) => [`${problem.kind} ${problem.about}`, problem]))
}

/** Source of an alert: several machines and instances may send theirs to the same users. */
interface AlertPlace {
  host: string
  state_dir: string
}

const longest_subject = 160

export function alertText(
  { began, over, lasting }: AlertDue,
  { host, state_dir }: AlertPlace,
  now_ms: number,
): { subject: string; text: string } {
  const known = (problems: readonly ReportedProblem[]) =>
    problems.map((problem) => line(problem, now_ms))
  const sections = [
    titled('Problems', began.map(newLine)),
    titled('Still a problem', known(lasting)),
    titled('Resolved', known(over)),
    `*${escapeMarkdown(`Sluice on ${host}, ${state_dir}, ${zonedText(now_ms)}; \`sluice status\` there says more.`)}*`,
  ]
  return {
    subject: subjectOf({ began, over, lasting }, host),
    text: sections.filter(Boolean).join('\n\n'),
  }
}

function subjectOf({ began, over, lasting }: AlertDue, host: string): string {
  const [first] = began
  const more = began.length > 1 ? ` (and ${began.length - 1} more)` : ''
  const names = over.map(({ kind, about }) => `${kind} ${about}`).join(', ')
  const what = first
    ? cut(first.message, more)
    : lasting.length === 0
      ? 'all problems are resolved'
      : cut(names, `: resolved, ${counted(lasting.length, 'problem')} left`)
  return `Sluice on ${host}: ${what}`
}

/** Shortens the text, not its end. */
function cut(text: string, end: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  const max_length = longest_subject - end.length
  return `${line.length <= max_length ? line : `${line.slice(0, max_length - 1)}…`}${end}`
}

function newLine({ kind, message, hint }: Problem): string {
  return `- **${kind}**: ${escapeMarkdown(message)}\n  What to do: ${escapeMarkdown(hint)}`
}

function line({ kind, message, since_ms }: ReportedProblem, now_ms: number): string {
  return `- **${kind}**: ${escapeMarkdown(message)} (began ${formatSpan(since_ms, now_ms)} ago)`
}

function titled(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n\n${lines.join('\n')}`
}
