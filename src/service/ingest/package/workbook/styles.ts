import type { Archive } from '../archive.ts'
import { walkXml } from '../xml.ts'

/** The format codes that a workbook need not declare (ECMA-376, 18.8.30). */
const built_in: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '"$"#,##0;-"$"#,##0',
  6: '"$"#,##0;-"$"#,##0',
  7: '"$"#,##0.00;-"$"#,##0.00',
  8: '"$"#,##0.00;-"$"#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'yyyy-mm-dd h:mm',
  37: '#,##0;-#,##0',
  38: '#,##0;-#,##0',
  39: '#,##0.00;-#,##0.00',
  40: '#,##0.00;-#,##0.00',
  41: '#,##0;-#,##0',
  42: '"$"#,##0;-"$"#,##0',
  43: '#,##0.00;-#,##0.00',
  44: '"$"#,##0.00;-"$"#,##0.00',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  48: '##0.0E+0',
  49: '@',
}
const date = 'yyyy-mm-dd'
/** Dates of East Asian languages. */
const built_in_dates = [27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58]

/** The format code of each cell style; undefined for `General`. */
export async function readStyles(archive: Archive, part: string): Promise<(string | undefined)[]> {
  const codes = new Map(Object.entries(built_in))
  for (const id of built_in_dates) codes.set(String(id), date)
  const styles: (string | undefined)[] = []
  let is_inside = false
  await walkXml(archive.stream(part), {
    open(name, { numFmtId = '', formatCode = '' }) {
      if (name === 'numFmt') codes.set(numFmtId, formatCode)
      if (name === 'cellXfs') is_inside = true
      if (name === 'xf' && is_inside) styles.push(codes.get(numFmtId))
    },
    close(name) {
      if (name === 'cellXfs') is_inside = false
    },
  })
  return styles
}
