import type { Table } from '../document-text.ts'

const separators = [',', ';', '\t', '|']
/** The records that show whether a text is a table. */
const sample_records = 20
/** In UTF-16 units. A quote that is never closed must not make a record of the whole text. */
const max_sample_length = 65_536
/** The share of records that must have as many fields as the header: exports end with remarks. */
const min_even_share = 0.8

/**
 * The header of comma-separated values, and where it begins. Undefined if the text is no table:
 * then it has no columns, or each line has others. `sep=;` before the header is for Excel alone.
 */
export function headerOf(text: string): Omit<Table, 'to'> | undefined {
  const from = /^sep=.\r?\n/.exec(text)?.[0].length ?? 0
  const sample = text.slice(from, from + max_sample_length)
  for (const separator of separators) {
    const records = recordsOf(sample, separator)
    const columns = records[0]?.fields ?? 0
    const even = records.filter(({ fields }) => fields === columns).length
    if (columns > 1 && records.length > 1 && even >= records.length * min_even_share)
      return {
        from,
        separator,
        header: sample
          .slice(0, records[0]!.to)
          .replace(/\s+/g, (blank) => (blank.includes('\n') ? ' ' : blank))
          .trimEnd(),
      }
  }
  return undefined
}

interface Recorded {
  fields: number
  /** Where it ends, without its line end. */
  to: number
}

/** The first whole records (RFC 4180). A separator or a line end in quotes is text. */
function recordsOf(sample: string, separator: string): Recorded[] {
  const records: Recorded[] = []
  let fields = 1
  let is_quoted = false
  let from = 0
  for (let at = 0; at <= sample.length && records.length < sample_records; at++) {
    const character = sample[at] ?? '\n'
    if (character === '"') is_quoted = !is_quoted
    if (is_quoted) continue
    if (character === separator) fields++
    if (character !== '\n') continue
    // Empty lines are no records.
    if (sample.slice(from, at).trim() !== '') records.push({ fields, to: at })
    fields = 1
    from = at + 1
  }
  return records
}
