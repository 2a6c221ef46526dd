import { counted, escapeMarkdown, formatDuration } from '../../base/text/format.ts'
import { isoTime } from '../../base/time/time.ts'
import type { ToldReason } from '../../domain/delivery.ts'
import type { Reason } from './health-promises.ts'

/** Content of an alert about a change of the health. */
export interface AlertDue {
  /** Problems that no alert has reported yet. */
  began: Reason[]
  /** Reported problems that have been resolved for long enough. */
  over: ToldReason[]
  /** Reported problems that do not count as resolved yet. */
  lasting: ToldReason[]
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
  #told: Map<string, ToldReason>
  #window_ms: number | undefined
  readonly #right_since_ms = new Map<string, number>()

  constructor(told: readonly ToldReason[]) {
    this.#told = byName(told)
  }

  /**
   * Returns the alert that is due; undefined if none is. It counts as reported only after `tell()`.
   * `now_ms`: monotonic.
   */
  judge(reasons: readonly Reason[], now_ms: number, { group_ms, resolve_after_ms }: AlertTimes): AlertDue | undefined {
    const standing = byName(reasons)
    const fresh = [...standing].flatMap(([name, reason]) => (this.#told.has(name) ? [] : [reason]))
    this.#window_ms = fresh.length === 0 ? undefined : (this.#window_ms ?? now_ms)
    const over: ToldReason[] = []
    const lasting: ToldReason[] = []
    for (const [name, told] of this.#told) {
      if (standing.has(name)) this.#right_since_ms.delete(name)
      else if (!this.#right_since_ms.has(name)) this.#right_since_ms.set(name, now_ms)
      const since_ms = this.#right_since_ms.get(name)
      if (since_ms !== undefined && now_ms - since_ms >= resolve_after_ms) over.push(told)
      else lasting.push(told)
    }
    const began = this.#window_ms !== undefined && now_ms - this.#window_ms >= group_ms ? fresh : []
    return began.length + over.length === 0 ? undefined : { began, over, lasting }
  }

  tell(due: AlertDue): void {
    this.#told = byName(toldAfter(due))
    this.#window_ms = undefined
    for (const name of [...this.#right_since_ms.keys()]) if (!this.#told.has(name)) this.#right_since_ms.delete(name)
  }
}

/** Open problems that count as reported once this alert is sent. */
export function toldAfter({ began, lasting }: AlertDue): ToldReason[] {
  const told = began.map(({ promise, about, message, since_ms }) => ({ promise, about, message, since_ms }))
  return [...lasting, ...told]
}

function byName<Named extends { promise: string; about: string }>(reasons: readonly Named[]): Map<string, Named> {
  return new Map(reasons.map((reason) => [`${reason.promise} ${reason.about}`, reason]))
}

/** Source of an alert: several machines and instances may send theirs to the same users. */
interface AlertPlace {
  host: string
  state_dir: string
}

const longest_subject = 160

/**
 * Message of an alert. First come new problems and what to do, then those still open, then the
 * resolved ones.
 */
export function alertText(
  { began, over, lasting }: AlertDue,
  { host, state_dir }: AlertPlace,
  now_ms: number,
): { subject: string; text: string } {
  const sections = [
    titled(
      'Problems',
      began.map(
        ({ promise, message, hint }) =>
          `- **${promise}**: ${escapeMarkdown(message)}\n  What to do: ${escapeMarkdown(hint)}`,
      ),
    ),
    titled(
      'Still a problem',
      lasting.map((told) => line(told, now_ms)),
    ),
    titled(
      'Resolved',
      over.map((told) => line(told, now_ms)),
    ),
    `*${escapeMarkdown(`Sluice on ${host}, ${state_dir}, ${isoTime(now_ms)}; \`sluice status\` there says more.`)}*`,
  ]
  return { subject: subjectOf({ began, over, lasting }, host), text: sections.filter(Boolean).join('\n\n') }
}

function subjectOf({ began, over, lasting }: AlertDue, host: string): string {
  const [first] = began
  const more = began.length > 1 ? ` (and ${began.length - 1} more)` : ''
  const what = first
    ? `${cut(first.message)}${more}`
    : lasting.length === 0
      ? 'all problems are resolved'
      : `${over.map(({ promise, about }) => `${promise} ${about}`).join(', ')}: resolved, ${counted(lasting.length, 'problem')} left`
  return `Sluice on ${host}: ${cut(what)}`
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length <= longest_subject ? line : `${line.slice(0, longest_subject - 1)}…`
}

function line({ promise, message, since_ms }: ToldReason, now_ms: number): string {
  return `- **${promise}**: ${escapeMarkdown(message)} (began ${formatDuration(Math.max(0, now_ms - since_ms))} ago)`
}

function titled(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n\n${lines.join('\n')}`
}
