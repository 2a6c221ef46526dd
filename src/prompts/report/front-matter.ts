export type FrontMatterValue = string | number | readonly string[]

/**
 * Formats YAML front matter. Every text becomes a JSON string with escapes for special characters,
 * which YAML 1.2 reads as the same text. So no name can end the block or add a field.
 */
export function frontMatter(fields: Readonly<Record<string, FrontMatterValue | undefined>>): string {
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${quoted(value)}`],
  )
  return ['---', ...lines, '---', ''].join('\n')
}

// Characters that JSON does not escape, and YAML counts as unprintable or as a line end.
const not_plain = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

function quoted(value: FrontMatterValue): string {
  if (typeof value === 'object') return `[${value.map(quoted).join(', ')}]`
  return JSON.stringify(value).replace(not_plain, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
