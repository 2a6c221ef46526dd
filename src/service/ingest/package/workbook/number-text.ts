import { format, getFormatFromId } from 'numfmt'
import { shownNumber } from '../shown-values.ts'

/** Old workbooks of the Mac count days from 1904 on, others from 1900. */
const mac_days = 1_462
/** The last day of the year 9999: spreadsheets know no later one. */
const last_day = 2_958_465
/** The format codes that a workbook need not declare (ECMA-376, 18.8.30) end here. */
const last_built_in = 58

/** Some days that are shown without month and year are a duration, unless they are many. */
const max_duration_days = 366

/** The code of a format that a workbook need not declare; undefined for an unknown one. */
export function builtInCode(id: string): string | undefined {
  return Number(id) <= last_built_in ? getFormatFromId(Number(id)) : undefined
}

/**
 * The text of a number as a sheet shows it by its format code, but dates as `2026-03-14`, because
 * what a sheet shows depends on the country of its reader. Undefined as code stands for `General`.
 */
export function numberText(value: string, code: string | undefined, is_mac = false): string {
  const number = Number(value)
  if (!Number.isFinite(number)) return value
  if (code === undefined || /^(general|@)$/i.test(code)) return shownNumber(number)
  try {
    return shownText(number, code, is_mac) ?? shownNumber(number)
  } catch {
    // The code is invalid, or cannot show the number.
    return shownNumber(number)
  }
}

/**
 * The text of a cell as a sheet shows it by its format code, such as `"Name: "@`. A text that a
 * code hides is in the document nevertheless.
 */
export function textByFormat(words: string, code: string | undefined): string {
  if (code === undefined || code === '@' || !code.includes('@')) return words
  try {
    return format(withoutCountry(code), words).trim() || words
  } catch {
    return words
  }
}

/** Undefined for a number that is no date, and for one that does not fit. */
function shownText(number: number, code: string, is_mac: boolean): string | undefined {
  const { is_date, is_time, is_short } = kindOf(code)
  if (!is_date || (is_short && is_time && number < max_duration_days)) {
    const sign = is_time && number < 0 ? '-' : ''
    const shown = sign === '' ? number : -number
    const text = sign + format(withoutCountry(code), shown).trim()
    return text.startsWith('##') ? undefined : text
  }
  const days = is_mac ? number + mac_days : number
  if (days < 0 || days >= last_day + 1) return undefined
  const [date, time] = format('yyyy-mm-dd hh:mm:ss', days).split(' ')
  if (!is_time || time === '00:00:00') return date
  return `${date} ${time?.replace(/^(\d+:\d+):00$/, '$1')}`
}

/**
 * A code can name the country of a currency. Spreadsheets write the numbers in the way of their
 * reader's country nevertheless, but the library in the way of the named one.
 */
function withoutCountry(code: string): string {
  return code.replace(
    /"[^"]*"|\\.|\[\$([^\]-]*)(?:-[^\]]*)?\]/g,
    (found: string, symbol?: string) => (symbol === undefined ? found : `"${symbol}"`),
  )
}

/**
 * Whether a code shows a date, a time of day, or both. Letters count outside quotes, escapes, and
 * brackets (colours, conditions, languages), but `[h]` is a duration, so a time. `m` is a month,
 * unless it stands beside hours or seconds. `is_short`: a date without month and year. The library
 * is wrong for codes with conditions.
 */
function kindOf(code: string): { is_date: boolean; is_time: boolean; is_short: boolean } {
  const [first = ''] = code.replace(/"[^"]*"|[\\_*]./g, '').split(';', 1)
  const letters = first.replace(/\[(?![hms]+\])[^\]]*\]|am\/pm|a\/p/gi, '')
  const is_time = /[hs]|\[m/i.test(letters)
  const without_minutes = letters.replace(/(h+\]?[^a-z]*)m+|m+(?=[^a-z]*s)|\[m+\]/gi, '$1')
  const is_short = !/[ym]/i.test(without_minutes)
  return { is_date: !is_short || /d/i.test(letters), is_time, is_short }
}
