/** A shell word (bash, zsh) to copy, quoted only if needed; control characters become \xNN. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  if (!unprintable.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  const escaped = text.replace(/[\\']/g, '\\$&').replace(every_unprintable, (character) => {
    return [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
  })
  return `$'${escaped}'`
}

const unprintable = /[\p{Cc}\p{Cf}\u2028\u2029]/u
const every_unprintable = new RegExp(unprintable, 'gu')
