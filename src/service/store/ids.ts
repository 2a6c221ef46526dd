import { randomBytes } from 'node:crypto'
import type { IdKind } from '../../contract/identifiers.ts'

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'
const time_digits = 9
const random_digits = 11

/** A new id: it sorts by creation time to the millisecond (as the hosted ones do), and 56 random bits keep it unique. */
export function makeId(kind: IdKind, now_ms: number): string {
  let tail = now_ms.toString(36).padStart(time_digits, '0')
  for (const byte of randomBytes(random_digits)) tail += alphabet[byte % alphabet.length]
  return `${kind}_${tail}`
}
