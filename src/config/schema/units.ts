import { day_ms, hour_ms, minute_ms, second_ms } from '../../base/time/time.ts'

/** Name, size, and how users spell it in small letters. */
type Units = readonly (readonly [name: string, size: number, spelling: RegExp])[]

const duration_units: Units = [
  ['ms', 1, /^(ms|msecs?|milliseconds?)$/],
  ['s', second_ms, /^(s|secs?|seconds?)$/],
  ['m', minute_ms, /^(m|mins?|minutes?)$/],
  ['h', hour_ms, /^(h|hrs?|hours?)$/],
  ['d', day_ms, /^(d|days?)$/],
  ['w', 7 * day_ms, /^(w|wks?|weeks?)$/],
]

/** Decimal units as disks are sold, binary units with an `i` (IEC 80000-13). */
const size_units: Units = [
  ['B', 1, /^b(ytes?)?$/],
  ['kB', 1e3, /^k(ilo)?b(ytes?)?$/],
  ['MB', 1e6, /^m(ega)?b(ytes?)?$/],
  ['GB', 1e9, /^g(iga)?b(ytes?)?$/],
  ['TB', 1e12, /^t(era)?b(ytes?)?$/],
  ['KiB', 2 ** 10, /^ki(bi)?b(ytes?)?$/],
  ['MiB', 2 ** 20, /^(mi|mebi)b(ytes?)?$/],
  ['GiB', 2 ** 30, /^gi(bi)?b(ytes?)?$/],
  ['TiB', 2 ** 40, /^(ti|tebi)b(ytes?)?$/],
]

/** Texts that can be read in two ways, or in none, and what to write instead. */
type Causes = readonly (readonly [RegExp, string])[]

const both_causes: Causes = [
  [
    /(?<![\d.,])[1-9]\d{0,2}(?:[.,'’_ ]\d{3})+(?!\d)/,
    'can be read in two ways: write the number without a separator, such as 1500 for 1,500',
  ],
]
const duration_causes: Causes = [
  ...both_causes,
  [/\d\s*M$/, 'can mean minutes or months: write 90min, or count in days, such as 90d'],
  [
    /\d\s*(mo|mths?|months?|y|yrs?|years?)$/i,
    'must not count in months or years, which differ in length: count in days, such as 90d',
  ],
  [/^\d+:\d/, 'is no time of the day: write a duration, such as 90m or 1h 30m'],
]
const size_causes: Causes = [
  ...both_causes,
  [/\d\s*[KMGT]i?b$|[Bb]its?$/, 'can mean bits: write a size in bytes, such as 10MB'],
  [
    /\d\s*[kmgt]i?$/i,
    'can count in thousands or in steps of 1024: write the whole unit, such as 10MB or 10MiB',
  ],
]

/** Several amounts add up: `1h 30m`. */
const amounts = /^(?:\d+(?:[.,]\d+)?\s*[a-z]+\s*)+$/i

/** `20m`, `20 minutes` and `1h 30m` become milliseconds. NaN if the text is no duration. */
export function parseDuration_ms(text: string): number {
  return parseAmount(text, duration_units, duration_causes)
}

/** `4GiB` becomes 4,294,967,296 bytes. NaN if the text is no size. */
export function parseSize_bytes(text: string): number {
  return parseAmount(text, size_units, size_causes)
}

/** Why a text is no duration, as far as that can be known. */
export function durationFault(text: string): string | undefined {
  return causeOf(text, duration_causes)
}

export function sizeFault(text: string): string | undefined {
  return causeOf(text, size_causes)
}

function causeOf(text: string, causes: Causes): string | undefined {
  return causes.find(([pattern]) => pattern.test(text))?.[1]
}

function parseAmount(text: string, units: Units, causes: Causes): number {
  if (!amounts.test(text) || causeOf(text, causes) !== undefined) return Number.NaN
  const parts = [...text.matchAll(/([\d.,]+)\s*([a-z]+)/gi)]
  const values = parts.map(([, amount, word]) => {
    const [, size = Number.NaN] =
      units.find(([, , spelling]) => spelling.test(word!.toLowerCase())) ?? []
    return Number(amount!.replace(',', '.')) * size
  })
  return Math.round(values.reduce((sum, value) => sum + value, 0))
}

/** The shortest text for exactly this duration: 7,776,000,000 becomes `90d`. */
export function durationText(ms: number): string {
  return shortest(ms, duration_units.slice(0, -1))
}

/** The shortest text for exactly this size: 4,294,967,296 becomes `4GiB`. */
export function sizeText(bytes: number): string {
  return shortest(bytes, size_units)
}

function shortest(value: number, units: Units): string {
  let [name, largest] = units[0]!
  for (const [unit, size] of units) {
    if (value !== 0 && value % size === 0 && size > largest) [name, largest] = [unit, size]
  }
  return `${value / largest}${name}`
}
