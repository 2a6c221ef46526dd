import { shownDate, shownNumber } from '../shown-values.ts'
import type { XmlAttributes } from '../xml.ts'

/** The value of a cell, for programs that write no text into it (ODF 1.3 part 3, 19.385). */
export function cellValue(attributes: XmlAttributes): string {
  const { value = '' } = attributes
  if (value === '' && /^(percentage|currency|float)$/.test(attributes['value-type'] ?? ''))
    return ''
  switch (attributes['value-type']) {
    case 'percentage':
      return `${shownNumber(Number(value) * 100)}%`
    case 'currency':
      return `${shownNumber(Number(value))} ${attributes.currency ?? ''}`.trimEnd()
    case 'float':
      return shownNumber(Number(value))
    case 'date':
      return shownDate(attributes['date-value'] ?? '')
    case 'time':
      return durationOf(attributes['time-value'] ?? '')
    case 'boolean':
      return (attributes['boolean-value'] ?? '').toUpperCase()
    default:
      return attributes['string-value'] ?? ''
  }
}

/** `PT15H30M00S` is 15:30, and `P1DT2H30M` is 26:30. */
function durationOf(written: string): string {
  const parts = /^(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d*)?)S)?)?$/.exec(
    written,
  )
  if (!parts) return written
  const [days, hours, minutes, seconds] = parts
    .slice(2)
    .map((part = '0') => Number(part.replace(',', '.'))) as [number, number, number, number]
  const total = Math.round(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
  const clock = [Math.floor(total / 3_600), Math.floor(total / 60) % 60, total % 60]
  if (clock[2] === 0) clock.pop()
  return parts[1] + clock.map((part) => String(part).padStart(2, '0')).join(':')
}
