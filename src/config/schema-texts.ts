import { z } from 'zod'
import { didYouMean } from '../base/did-you-mean.ts'
import { templateNames } from '../base/template.ts'

/** A text in one line: header fields and log lines are made of it. */
export function lineOf(most: number) {
  const wrong = `must be a text of 1 to ${most} characters in one line`
  return (
    z
      .string(wrong)
      .min(1, wrong)
      .max(most, wrong)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
      .regex(/^[^\x00-\x1f\x7f]*$/, wrong)
  )
}

/** A text with `{{name}}` in it; only these names. */
export function template(most: number, known: readonly string[]) {
  const wrong = `must be a text of 1 to ${most} characters`
  return z.string(wrong).min(1, wrong).max(most, wrong).check(knownNames(known))
}

/** A check of a text: its templates ask for these names alone. */
export function knownNames(known: readonly string[]) {
  return ({ value, issues }: z.core.ParsePayload<string>) => {
    for (const name of templateNames(value)) {
      if (!known.includes(name)) issues.push({ code: 'custom', message: unknownName(name, known), input: value })
    }
  }
}

function unknownName(name: string, known: readonly string[]): string {
  const meant = didYouMean(name, known)
  if (meant !== undefined) return `there is no {{${name}}}; did you mean {{${meant}}}?`
  return `there is no {{${name}}}; there are ${known.map((other) => `{{${other}}}`).join(', ')}`
}
