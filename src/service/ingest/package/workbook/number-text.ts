import { format } from 'numfmt'
import { day_ms, isoTime } from '../../../../base/time/time.ts'

/** Dates are stored as days since this one. */
const day_0_ms = Date.UTC(1899, 11, 30)
/** Old workbooks of the Mac count from 1904 on. */
const mac_days = 1_462
/** The last day of the year 9999, in days since day 0: spreadsheets know no later one. */
const last_day = 2_958_465

/**
 * The text of a number as a sheet shows it by its format code, but dates as `2026-03-14`, because
 * what a sheet shows depends on the country of its reader. Undefined as code stands for `General`.
 */
export function numberText(value: string, code: string | undefined, is_mac = false): string {
  const number = Number(value)
  if (!Number.isFinite(number)) return value
  if (code === undefined || /^(general|@)$/i.test(code)) return generalText(number)
  const { is_date, is_time } = kindOf(code)
  const days = is_mac && (is_date || is_time) ? number + mac_days : number
  if (is_date && days >= 1 && days < last_day + 1) return dateText(days, is_time)
  if (is_date) return generalText(number)
  return shownText(is_time ? number : days, code) ?? generalText(number)
}

/** 15 digits are exact; the others are the rest of a fraction that binary numbers cannot hold. */
function generalText(number: number): string {
  return String(Number(number.toPrecision(15)))
}

function dateText(days: number, is_time: boolean): string {
  const seconds = Math.round(days * 86_400)
  const text = isoTime(day_0_ms + (seconds / 86_400) * day_ms)
  if (!is_time || seconds % 86_400 === 0) return text.slice(0, 10)
  return text.slice(0, seconds % 60 === 0 ? 16 : 19).replace('T', ' ')
}

/** Undefined if the code is invalid, or cannot show the number. */
function shownText(number: number, code: string): string | undefined {
  try {
    const text = format(code, number).trim()
    return text.startsWith('##') ? undefined : text
  } catch {
    return undefined
  }
}

/**
 * Whether a code shows a date, a time of day, or both. Letters count outside quotes, brackets
 * (colours, conditions, languages) and escapes. `[h]` is a duration, so a time. `m` is a month,
 * unless hours stand before it or seconds behind it.
 */
function kindOf(code: string): { is_date: boolean; is_time: boolean } {
  const [first = ''] = code.replace(/"[^"]*"|[\\_*]./g, '').split(';', 1)
  if (/\[(h+|m+|s+)\]/i.test(first)) return { is_date: false, is_time: true }
  const letters = first.replace(/\[[^\]]*\]/g, '').replace(/am\/pm|a\/p|general/gi, '')
  const is_time = /[hs]/i.test(letters)
  return { is_date: /[yd]/i.test(letters) || (/m/i.test(letters) && !is_time), is_time }
}
