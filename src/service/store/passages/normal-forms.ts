/** A calendar day, or a month without a day. */
interface FoundDate {
  year: number
  month: number
  day?: number
}

const months = [
  ...['jan', 'feb', 'm[aä]rz?|mrz|maerz', 'apr', 'ma[iy]', 'jun', 'jul', 'aug', 'sep'],
  ...['o[ck]t', 'nov', 'de[cz]'],
].map((pattern) => new RegExp(`^(?:${pattern})`))
const month_names =
  '(?:jan|j[aä]n|feb|m[aä]r|maer|mrz|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-zä]{0,6}'
const not_in_number = String.raw`(?<!\d|\d[.,])`
const day = String.raw`(\d{1,2})`
const year = String.raw`((?:19|20)\d\d)`
const end = String.raw`(?!\d)`

/** The spellings of a date, and what their groups are. `y` is a year, also of two digits. */
const spellings: readonly (readonly [pattern: RegExp, groups: string])[] = (
  [
    [String.raw`${not_in_number}${year}[-/._](\d\d?)[-/._]${day}${end}`, 'ymd'],
    [String.raw`${not_in_number}${year}(\d\d)(\d\d)${end}`, 'ymd'],
    [String.raw`${not_in_number}${day}\.[ \u00a0]?(\d\d?)\.[ \u00a0]?(${year}|\d\d)${end}`, 'dmy'],
    [String.raw`${not_in_number}${day}/(\d\d?)/(${year}|\d\d)${end}`, 'dmy mdy'],
    [String.raw`${not_in_number}${day}[-_](\d\d?)[-_]${year}${end}`, 'dmy'],
    [
      String.raw`${not_in_number}${day}(?:\.|st|nd|rd|th)?\s+(?:of\s+)?(${month_names})\.?,?\s+${year}${end}`,
      'dmy',
    ],
    [String.raw`(?<!\p{L})(${month_names})\.?\s+${day}(?:st|nd|rd|th)?,?\s+${year}${end}`, 'mdy'],
    [String.raw`(?<!\p{L})(${month_names})\.?[\s_-]+${year}${end}`, 'my'],
    [String.raw`${not_in_number}${year}-(\d\d)(?![-\d])`, 'ym'],
    [String.raw`(?<![\d./-])(\d\d?)[./]${year}${end}`, 'my'],
  ] as const
).map(([source, groups]) => [new RegExp(source, 'giu'), groups])

/** True for a year, and for the name of a month. */
export function isDateWord(word: string): boolean {
  return new RegExp(`^(?:${year}|${month_names})$`).test(word)
}

function datesIn(text: string): FoundDate[] {
  const found: FoundDate[] = []
  const near = nearYears(text)
  for (const [pattern, orders] of near === '' ? [] : spellings) {
    for (const [, ...parts] of near.matchAll(pattern)) {
      for (const order of orders.split(' ')) {
        const part = (name: string) => parts[order.indexOf(name)]
        const date = dateOf(part('y')!, part('m')!, order.includes('d') ? part('d') : undefined)
        if (date) found.push(date)
      }
    }
  }
  return found
}

/** UTF-16 units. The longest date that is spelled out is shorter. */
const max_date_length = 24

/** The parts of a text that may hold a date, because the spellings take long in a whole one. */
function nearYears(text: string): string {
  let near = ''
  for (const { index: at } of text.matchAll(/(?:19|20)\d\d|\d\.\s?\d\d?\.\s?\d\d/g))
    near += `\n~ ${text.slice(Math.max(0, at - max_date_length), at + max_date_length)}`
  return near
}

function dateOf(year: string, month: string, day?: string): FoundDate | undefined {
  const number = /^\d/.test(month)
    ? Number(month)
    : months.findIndex((name) => name.test(month.toLowerCase())) + 1
  // Two digits are of this century: few files are older than it.
  const whole_year = year.length === 2 ? 2_000 + Number(year) : Number(year)
  if (number < 1 || number > 12) return undefined
  if (day === undefined) return { year: whole_year, month: number }
  if (Number(day) < 1 || Number(day) > 31) return undefined
  return { year: whole_year, month: number, day: Number(day) }
}

const year_alone = /^(?:19|20)\d\d$/
const grouped = String.raw`\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+(?:[.,]\d{1,4})?`
const numbers = new RegExp(
  String.raw`(?<![\p{L}\d.,])(?:${grouped}|\d+[.,]\d{1,4}|\d{4,})(?![\d\p{L}]|[.,]\d)`,
  'gu',
)

/**
 * A number without its separators, `1234d5` for 1,234.50. One with a single separator before three
 * digits has two readings: 1.234 is 1234 to some, and less than 2 to others.
 */
function numbersIn(text: string): string[] {
  return [...text.matchAll(numbers)].flatMap(([written]) => {
    const bare = written.replace(/['’\u00a0\u202f ]/g, '')
    const parts = bare.split(/[.,]/)
    const last = parts.at(-1)!
    const joined = parts.join('')
    // A year is found as a word.
    if (parts.length === 1) return year_alone.test(joined) ? [] : [joined]
    const marks = new Set(bare.replace(/\d/g, ''))
    const has_decimals = last.length !== 3 || marks.size > 1
    const decimal = `${parts.slice(0, -1).join('')}d${last}`.replace(/d?0*$/, '')
    if (has_decimals) return [decimal]
    return parts.length === 2 ? [joined, decimal] : [joined]
  })
}

/** Digits of a telephone number, an account and the like, which some write in groups. */
const long_numbers = /\d(?:[ \u00a0\-/().]{0,3}\d){8,}/g
/** The country and the area before them are written in several ways, or left out. */
const told_digits = 7

function longNumbersIn(text: string): string[] {
  return (text.match(long_numbers) ?? []).map(
    (number) => `t${number.replace(/\D/g, '').slice(-told_digits)}`,
  )
}

/** Numbers of invoices, parts and tickets. Looked for only where a digit follows a mark. */
const code_before = /(?<![\p{L}\p{N}])\p{L}{1,8}$/u
const code_behind = /[-_/]\d[\p{L}\d_/-]{0,30}/gu
const max_code_start = 9

/** `re2026103` for RE-2026-103: a word that others type without marks. */
function codesIn(text: string): string[] {
  return [...text.matchAll(code_behind)].flatMap(({ 0: end, index: at }) => {
    const before = code_before.exec(text.slice(Math.max(0, at - max_code_start), at))
    return before ? [`${before[0]}${end}`.replace(/[-_/]/g, '').toLowerCase()] : []
  })
}

/** More of them say nothing about a passage. */
const max_forms = 200

/**
 * The normal forms of the dates and numbers in a text, so that 12.3.2024 matches March 2024, and
 * 1.234,50 matches 1,234.5. A day has forms of its month and its year, too.
 */
export function formsIn(text: string): string[] {
  if (!/\d/.test(text)) return []
  const dates = datesIn(text).flatMap((date) => {
    const of_month = [monthForm(date), `y${date.year}`]
    return date.day === undefined ? of_month : [dayForm(date), ...of_month]
  })
  return [...new Set([...dates, ...numberForms(text), ...codesIn(text)])].slice(0, max_forms)
}

/** The last one of the dates in a name, as digits that sort. Empty without any. */
export function lastDateIn(name: string): string {
  const dates = datesIn(name).map((date) => (date.day === undefined ? monthForm : dayForm)(date))
  const years = name.match(/(?<!\d)(?:19|20)\d\d(?!\d)/g) ?? []
  return [...dates.map((form) => form.slice(1)), ...years].sort().at(-1) ?? ''
}

/** The forms that a question asks for: of a day only the day, of a month only the month. */
export function formsAsked(text: string): string[] {
  const dates = datesIn(text)
  const years = [...text.matchAll(/(?<![\p{L}\d.,/-])(?:19|20)\d\d(?![\d\p{L}]|[.,/-]\d)/gu)]
  const days = dates.filter((date) => date.day !== undefined)
  // `März 2024` is also a part of `12. März 2024`.
  const is_of_day = (month: FoundDate) => days.some((date) => monthForm(date) === monthForm(month))
  const alone = dates.filter((date) => date.day === undefined && !is_of_day(date))
  const forms = [...days.map(dayForm), ...alone.map(monthForm)]
  const of_years = dates.length > 0 ? [] : years.map(([year]) => `y${year}`)
  return [...new Set([...forms, ...of_years, ...numberForms(text)])]
}

function numberForms(text: string): string[] {
  return [...numbersIn(text).map((number) => `n${number}`), ...longNumbersIn(text)]
}

function dayForm({ year, month, day = 0 }: FoundDate): string {
  return `d${year}${two(month)}${two(day)}`
}

function monthForm({ year, month }: FoundDate): string {
  return `m${year}${two(month)}`
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}

/**
 * The words of a file's name or path: as it is written, then in its parts, split at changes between
 * small and large letters, and between letters and digits, and last each name as one word.
 */
export function nameWords(name: string): string {
  const whole = name.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim()
  const split = whole
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{L})(\p{N})/gu, '$1 $2')
    .replace(/(\p{N})(\p{L})/gu, '$1 $2')
  const as_one = name
    .split('\n')
    .map((each) => each.replace(/^.*\/|\.\w+$/g, '').replace(/[^\p{L}\p{M}\p{N}]+/gu, ''))
  return [...new Set([whole, split, ...as_one])].join(' ').trim()
}
