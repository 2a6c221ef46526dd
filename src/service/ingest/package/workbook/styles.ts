import type { Archive } from '../archive.ts'
import { walkXml } from '../xml.ts'
import { builtInCode } from './number-text.ts'

/** Adds the format code of each cell style; undefined for `General`. */
export async function readStyles(
  archive: Archive,
  part: string,
  styles: (string | undefined)[],
): Promise<void> {
  const codes = new Map<string, string>()
  await walkXml(archive, part, {
    open(name, { numFmtId = '', formatCode = '' }, parent) {
      if (name === 'numFmt') codes.set(numFmtId, formatCode)
      if (name === 'xf' && parent === 'cellXfs')
        styles.push(codes.get(numFmtId) ?? builtInCode(numFmtId))
    },
  })
}
