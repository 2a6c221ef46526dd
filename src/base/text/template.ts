import { SluiceError } from '../run/errors.ts'
import { didYouMean } from './did-you-mean.ts'

/** What stands between two pairs of braces is a name, whatever it looks like: a mistyped one shall be told, not sent. */
const place = /\{\{([^{}\n]*)\}\}/g

/**
 * Puts values where the template has `{{name}}`; spaces around the name do not matter. One pass: a value that itself holds
 * `{{…}}` stays as it is, so that a file's name cannot call up another value. `escaped` makes each value fit for what surrounds
 * it (JSON, a file's name). Errors: `template.unknown_name`.
 */
export function renderTemplate(
  template: string,
  values: Readonly<Record<string, string>>,
  escaped: (value: string) => string = (value) => value,
): string {
  return template.replace(place, (_place, inner: string) => {
    const name = inner.trim()
    // Own ones alone: {{constructor}} is no value.
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined) throw unknownName(name, Object.keys(values))
    return escaped(value)
  })
}

/** The names that a template asks for, each once, in order. */
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
