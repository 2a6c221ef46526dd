/** Numbers with more digits than are exact. */
const min_short_number = 1e15
/** Such as `-1.23457`. */
const max_short_digits = 9

/** `2026-03-14T09:30:00` is 2026-03-14 09:30. */
export function shownDate(written: string): string {
  const [day = '', clock = ''] = written.split('T')
  const [time = ''] = clock.split(/[.,Z]/)
  if (time === '' || time === '00:00:00') return day
  return `${day} ${time.replace(/^(\d+:\d+):00$/, '$1')}`
}

/** 15 digits are exact; the others are the rest of a fraction that binary numbers cannot hold. */
export function shownNumber(number: number): string {
  if (!Number.isFinite(number)) return ''
  const text = String(Number(number.toPrecision(15)))
  const rounded = Number(text)
  const [digits = '', exponent] = rounded.toExponential().split('e')
  // Zeros say nothing that the exponent does not. Other digits are those that a user searches for.
  const is_short = Math.abs(rounded) >= min_short_number && digits.length < max_short_digits
  if (!text.includes('e') && !is_short) return text
  const sign = exponent?.startsWith('-') ? '-' : '+'
  return `${digits}E${sign}${exponent?.slice(1).padStart(2, '0')}`
}
