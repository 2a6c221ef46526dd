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

/** `PT15H30M00S` is 15:30. */
function durationOf(written: string): string {
  const parts = /^(-?)PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,]\d+)?S)?$/.exec(written)
  if (!parts) return written
  const [sign, hours = '0', minutes = '0', seconds = '0'] = parts.slice(1)
  const clock = `${sign}${hours.padStart(2, '0')}:${minutes.padStart(2, '0')}`
  return Number(seconds) === 0 ? clock : `${clock}:${seconds.padStart(2, '0')}`
}
