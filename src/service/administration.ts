import { z } from 'zod'
import { SluiceError } from '../base/errors.ts'
import { hasCharacters } from '../base/format.ts'
import { email_longest, name_longest } from '../contract/limits.ts'

export function checkName(what: string, name: string): void {
  if (name.trim() !== '' && hasCharacters(name, 1, name_longest) && !/\p{Cc}/u.test(name)) return
  throw refused(`"${name}" cannot be the name of ${what}`, `use 1 to ${name_longest} visible characters`)
}

export function refused(message: string, hint: string): SluiceError {
  return new SluiceError({ code: 'config.service', message, hint })
}

export function checkEmail(email: string): void {
  if (z.email().max(email_longest).safeParse(email).success) return
  throw refused(`"${email}" is not an e-mail address`, 'write one like ada@example.org')
}
