import { z } from 'zod'
import { didYouMeanText } from '../../base/text/did-you-mean.ts'
import { charset_names } from './charset-names.ts'
import { matching } from './fields.ts'

/** Other usual names, as programs write them, in small letters and digits alone. */
const other_names: Readonly<Record<string, string>> = {
  ansi: 'windows-1252',
  latin1: 'iso-8859-1',
  latin2: 'iso-8859-2',
  latin9: 'iso-8859-15',
  mac: 'macintosh',
  macroman: 'macintosh',
  sjis: 'shift_jis',
  cp932: 'shift_jis',
  gbk: 'gb18030',
  gb2312: 'gb18030',
  cp936: 'gb18030',
  cp949: 'euc-kr',
  cp950: 'big5',
}

const plain = (name: string) => name.toLowerCase().replace(/[^a-z\d]/g, '')

/** `CP850`, `IBM 850` and `850` are one charset; so are `cp1252` and `Windows-1252`. */
function charsetOf(written: string): string | undefined {
  const name = plain(written)
  const page = /^(?:cp|ibm|dos|oem|win|windows)?(\d{3,4})$/.exec(name)?.[1]
  const names = page === undefined ? [name] : [`cp${page}`, `windows${page}`]
  const known = charset_names.find((charset) => names.includes(plain(charset)))
  return known ?? names.map((one) => other_names[one]).find((charset) => charset !== undefined)
}

const wrong = `must be a character set: one of ${charset_names.join(', ')}`

export const charset_field = matching(/\S/, wrong).transform((written, context) => {
  const charset = charsetOf(written)
  if (charset !== undefined) return charset
  context.addIssue(
    `there is no such character set; ${didYouMeanText(written.toLowerCase(), charset_names, 'take one of')}`,
  )
  return z.NEVER
})
