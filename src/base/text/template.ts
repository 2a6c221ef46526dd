import { SluiceError } from '../run/errors.ts'
import { didYouMean } from './did-you-mean.ts'

/** Any text in double braces is a name: a mistyped one must be reported, not sent. */
const place = /\{\{([^{}\n]*)\}\}/g

/**
 * Replaces each `{{name}}` once: `{{…}}` in a value stays, so a file's name cannot insert another
 * value. `escaped` makes a value fit its surroundings (JSON). Error: `template.unknown_name`.
 */
export function renderTemplate(
  template: string,
  values: Readonly<Record<string, string>>,
  escaped: (value: string) => string = (value) => value,
): string {
  return template.replace(place, (_place, inner: string) => {
    const name = inner.trim()
    // Own properties only: {{constructor}} is no value.
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined) throw unknownName(name, Object.keys(values))
    return escaped(value)
  })
}

export function templateNames(template: string): string[] {
  return [...new Set([...template.matchAll(place)].map(([, inner]) => inner!.trim()))]
}

function unknownName(name: string, known: readonly string[]): SluiceError {
  const meant = didYouMean(name, known)
  return new SluiceError({
    code: 'template.unknown_name',
    message: `a template asks for {{${name}}}, which there is not`,
    hint: meant === undefined ? `there is ${known.join(', ')}` : `did you mean {{${meant}}}?`,
  })
}
