import { SluiceError } from '../../base/run/errors.ts'
import { fitText, shellWord } from '../../base/text/format.ts'
import { scrubText } from '../../base/text/scrub.ts'
import { check } from '../../config/faults.ts'
import { spanValue } from '../../config/schema/fields.ts'
import { question_schema } from '../../config/schema/schema-prompts.ts'
import type { Narrowing } from '../../prompts/ask/ask-scope.ts'

/** Columns of a refused value: more than an id has. */
const max_shown = 60

/**
 * Checks options by the rules for the same fields of a configured prompt. An option has the name of
 * its field in the singular. Error `usage.invalid` has a line for each fault.
 */
export function checkedFields(
  written: Readonly<Record<string, string | readonly string[] | undefined>>,
) {
  const { output, faults } = check(question_schema, written)
  if (output) return output
  const lines = faults.map(({ path: [field, at], message }) => {
    const given = written[field!]
    const value = typeof at === 'number' ? given?.[at] : given
    // Masked before it is cut: half a token would pass the last filter.
    const shown =
      typeof value === 'string' ? ` ${shellWord(fitText(scrubText(value), max_shown))}` : ''
    return `--${String(field).replace(/s$/, '')}${shown}: ${message}`
  })
  throw new SluiceError({ code: 'usage.invalid', message: lines.join('\n') })
}

/** Error `usage.invalid` if a part of the project that is asked is named beside it. */
export function refuseContradiction({ project_id, about_files, others }: Narrowing): void {
  const { labels, concepts, views } = others
  const is_narrowed = about_files || [labels, concepts, views].some((list) => list.length > 0)
  if (!is_narrowed || !others.projects.includes(project_id)) return
  throw new SluiceError({
    code: 'usage.invalid',
    message: `--project ${project_id} is the whole project that is asked, so the other options would narrow nothing`,
    hint: 'leave out --project, or --folder, --path, --fresh, --label, --concept and --view',
  })
}

/** The value of an option, by the rules of such a field. Error `usage.invalid` says them. */
export function flagValue<Field extends Parameters<typeof check>[0]>(
  option: string,
  field: Field,
  written: unknown,
) {
  const { output, faults } = check(field, written)
  if (output !== undefined) return output
  const message = `--${option} ${faults[0]!.message}`
  throw new SluiceError({ code: 'usage.invalid', message })
}

/** A duration that an option takes. */
export function spanFlag(min: string, max: string, such_as: string) {
  return spanValue(min, max, `must be a duration from ${min} to ${max}, such as ${such_as}`)
}
