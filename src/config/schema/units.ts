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

/**
 * Texts that can be read in two ways, or in none, and what to write instead. `$1` is a group of the
 * expression; an example that nobody wrote is called one. Of `{90m|90s}` the first is shown that
 * the field takes; a cause without one is passed over.
 */
type Causes = readonly (readonly [RegExp, string])[]

/** True if the field takes the example. */
type Fits = (example: string) => boolean

const takes_all: Fits = () => true

const separated =
  'can be read in two ways: write the number without a separator (for example {1500|1500ms|1500s|1500MB|1500kB/s}, not 1,500)'
const separator = /(?<![\d.,])[1-9]\d{0,2}(?:[.,'’_\s]\d{3})+(?!\d)/
const number_word = /^(an?|half|one|two|three|four|five|six|seven|eight|nine|ten)\s/i
const bits = 'can mean bits: write a size in bytes, such as {10MB|10kB|10B|10MB/s}'
const days = '{90d|30d|7d|1d}'
const sum_of_times = '{1h30m|1m30s}'

const duration_causes: Causes = [
  [separator, separated],
  [/%/, 'is no percentage: write an amount with its unit, such as {90m|30m|90s}'],
  [number_word, 'must begin with a number in digits, before its unit (for example {1d|1h|1m})'],
  [/^PT?\d/i, `must be written without P and T (for example ${sum_of_times})`],
  [
    /\d\s*M$/,
    `can mean minutes or months: write min for minutes, or count in days, such as ${days}`,
  ],
  [/\d\s*M$/, 'can mean minutes or months: write min for minutes, such as {20min}'],
  [
    /\d\s*(mos?|mths?|months?|y|yrs?|years?)$/i,
    `must not count in months or years, which differ in length: count in days, such as ${days}`,
  ],
  [/^\d+:\d/, 'is no time of the day: write a duration, such as {90m|30m|90s} or {1h 30m|1m 30s}'],
  [/[a-z]\s*\d+$/i, `needs a unit after each number (for example ${sum_of_times})`],
]
const size_causes: Causes = [
  [separator, separated],
  [/%/, 'is no percentage: write an amount with its unit, such as {500MB|500kB|2MB/s}'],
  [
    number_word,
    'must begin with a number in digits, before its unit (for example {1GB|1MB|1kB|1MB/s})',
  ],
  [/\/\s*[a-z]|\bper\b|bps$/i, 'must be a size alone, without a time (for example {50GB|50MB})'],
  [/\d\s*[KMGT]i?b(?![a-z])|[Bb]its?\b/, bits],
  [
    /\d\s*([kmgt]i?|kilos?|mega?s?|giga?s?|tera?s?)(?![a-z])/i,
    'can count in thousands or in steps of 1024: write the whole unit, such as {10MB|10kB|10MB/s} or {10MiB|10KiB|10MiB/s}',
  ],
]
const rate_causes: Causes = [
  [
    /[KMGTkmgt]i?b\s*(ps|\/|per\b)|[KMGT]BPS$|[Bb]its?\b/,
    'can mean bits: write bytes with a capital B, such as {2MB/s}',
  ],
  [/(\/|\bper\b)\s*[mhd]/i, 'must be a size per second, such as {2MB/s}'],
  [/^([\d.,]+)\s*([a-z]*b(?:ytes?)?)$/i, 'must say in which time: write {$1$2/s}'],
]
const count_causes: Causes = [
  [
    /^\d+\s*(%|percent|d|days?)$/i,
    'must be a number alone, without % or days (for example {10|2|100})',
  ],
  [
    /^\d+\s*(k|thousand|m|mio|mill?|million)\b/i,
    'must be a number written out (for example {10000|1000|100|10|2})',
  ],
]

/** Several amounts add up: `1h 30m`, `1h, 30m`, `1 hour and 30 min.` */
const amounts =
  /^(?:(?:\d+(?:[.,]\d+)?|^\.\d+)\s*[a-z]+(?:\.(?!\d))?(?:\s*(?:,|\band\b)\s*(?=\d)|\s*))+$/i

/** `20m`, `20 minutes` and `1h 30m` become milliseconds. NaN if the text is no duration. */
export function parseDuration_ms(text: string): number {
  return durationFault(text) === undefined ? sumOf(text, duration_units) : Number.NaN
}

/** `4GiB` becomes 4,294,967,296 bytes. NaN if the text is no size. */
export function parseSize_bytes(text: string): number {
  return sizeFault(text) === undefined ? sumOf(text, size_units) : Number.NaN
}

const per_second = /(\s*\/\s*s(ec(ond)?)?|ps|\s+per\s+s(ec(ond)?)?)$/i

/** `2MB/s` becomes 2,000,000 bytes. NaN if the text is no size per second. */
export function parseRate_bytes(text: string): number {
  return per_second.test(text) && rateFault(text) === undefined
    ? parseSize_bytes(text.replace(per_second, ''))
    : Number.NaN
}

/** Why a text is no duration, as far as that can be known. */
export function durationFault(text: string, fits = takes_all): string | undefined {
  return causeOf(text, duration_causes, fits) ?? orderFault(text, duration_units, fits)
}

export function sizeFault(text: string, fits = takes_all): string | undefined {
  return causeOf(text, size_causes, fits) ?? orderFault(text, size_units, fits)
}

export function rateFault(text: string, fits = takes_all): string | undefined {
  const cause = causeOf(text, rate_causes, fits)
  return per_second.test(text) ? (cause ?? sizeFault(text.replace(per_second, ''), fits)) : cause
}

export function countFault(text: string, fits = takes_all): string | undefined {
  return causeOf(text, count_causes, fits)
}

function causeOf(text: string, causes: Causes, fits: Fits): string | undefined {
  for (const [pattern, cause] of causes) {
    const found = pattern.exec(text)?.[0].replace(pattern, cause)
    const filled = found && withExamples(found, fits)
    if (filled) return filled
  }
  return undefined
}

function withExamples(cause: string, fits: Fits): string | undefined {
  const filled = cause.replaceAll(
    /\{(.*?)\}/g,
    (all, examples: string) => examples.split('|').find(fits) ?? all,
  )
  return filled.includes('{') ? undefined : filled
}

/** Two amounts of one unit, or of rising ones, may be a range or a list. */
function orderFault(text: string, units: Units, fits: Fits): string | undefined {
  const parts = partsOf(text, units)
  return parts.every(({ unit }, at) => at === 0 || !(unit >= parts[at - 1]!.unit))
    ? undefined
    : withExamples(
        'must name each unit once, the largest first, such as {1h 30m|1m 30s|1GB 500MB|1MB 500kB|1GB 500MB/s}',
        fits,
      )
}

function sumOf(text: string, units: Units): number {
  const sum = partsOf(text, units).reduce((total, { amount, unit }) => total + amount * unit, 0)
  return amounts.test(text) ? Math.round(sum) : Number.NaN
}

/** `unit`: its size; NaN if there is no such unit. */
function partsOf(text: string, units: Units): { amount: number; unit: number }[] {
  return [...text.matchAll(/(\d+(?:[.,]\d+)?|\.\d+)\s*([a-z]+)/gi)].map(([, amount, word]) => ({
    amount: Number(amount!.replace(',', '.')),
    unit: units.find(([, , spelling]) => spelling.test(word!.toLowerCase()))?.[1] ?? Number.NaN,
  }))
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
