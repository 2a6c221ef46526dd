import type { Archive } from '../archive.ts'
import { walkXml } from '../xml.ts'
import { builtInCode } from './number-text.ts'

/** The format code of each cell style; undefined for `General`. */
export async function readStyles(archive: Archive, part: string): Promise<(string | undefined)[]> {
  const codes = new Map<string, string>()
  const styles: (string | undefined)[] = []
  await walkXml(archive, part, {
    open(name, { numFmtId = '', formatCode = '' }, parent) {
      if (name === 'numFmt') codes.set(numFmtId, formatCode)
      if (name === 'xf' && parent === 'cellXfs')
        styles.push(codes.get(numFmtId) ?? builtInCode(numFmtId))
    },
  })
  return styles
}
