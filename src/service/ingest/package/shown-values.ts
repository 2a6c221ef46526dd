/** `2026-03-14T09:30:00` is 2026-03-14 09:30. */
export function shownDate(written: string): string {
  const [day = '', clock = ''] = written.split('T')
  const [time = ''] = clock.split(/[.,Z]/)
  if (time === '' || time === '00:00:00') return day
  return `${day} ${time.replace(/^(\d+:\d+):00$/, '$1')}`
}

/** 15 digits are exact; the others are the rest of a fraction that binary numbers cannot hold. */
export function shownNumber(number: number): string {
  return Number.isFinite(number) ? String(Number(number.toPrecision(15))) : ''
}
