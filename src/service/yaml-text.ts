/**
 * JSON data as YAML 1.2 in block style. Texts are written as JSON strings, which YAML reads as its double-quoted form, so that
 * no text is ever taken for a number, a date or a keyword.
 */
export function toYaml(value: unknown): string {
  return `${block(value, 0)}\n`
}

function block(value: unknown, depth: number): string {
  const indent = '  '.repeat(depth)
  if (Array.isArray(value)) return value.map((item) => `${indent}-${after(item, depth)}`).join('\n')
  return Object.entries(value as object)
    .filter(([, inner]) => inner !== undefined)
    .map(([key, inner]) => `${indent}${plainKey(key)}:${after(inner, depth)}`)
    .join('\n')
}

function after(value: unknown, depth: number): string {
  if (Array.isArray(value)) return value.length === 0 ? ' []' : `\n${block(value, depth + 1)}`
  if (typeof value === 'object' && value !== null) {
    return Object.keys(value).length === 0 ? ' {}' : `\n${block(value, depth + 1)}`
  }
  return ` ${JSON.stringify(value)}`
}

/** Keys that could be read as something else (a status is a number) are quoted. */
function plainKey(key: string): string {
  const is_word = /^[A-Za-z_$][\w$-]*$/.test(key) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(key)
  return is_word ? key : JSON.stringify(key)
}
