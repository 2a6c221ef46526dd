import { formatDuration } from '../base/format.ts'
import { escapeMarkdown } from '../base/markdown.ts'
import { isoTime } from '../base/time.ts'
import type { ToldReason } from '../domain/alert.ts'
import type { AlertDue } from './alerts.ts'

/** Where it comes from: several machines and instances may tell the same people. */
export interface AlertPlace {
  host: string
  state_dir: string
}

const longest_subject = 160

/** The message of an alert: what is wrong and what to do first, then what still is, then what is right again. */
export function alertText(
  { began, over, lasting }: AlertDue,
  { host, state_dir }: AlertPlace,
  now_ms: number,
): { subject: string; text: string } {
  const sections = [
    titled(
      'Not kept',
      began.map(
        ({ promise, message, hint }) =>
          `- **${promise}**: ${escapeMarkdown(message)}\n  What to do: ${escapeMarkdown(hint)}`,
      ),
    ),
    titled(
      'Still not kept',
      lasting.map((told) => line(told, now_ms)),
    ),
    titled(
      'Kept again',
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
      ? 'all is well again'
      : `${over.map(({ promise, about }) => `${promise} ${about}`).join(', ')}: right again, ${lasting.length} left`
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
