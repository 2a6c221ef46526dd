import type { DocumentText } from '../../document-text.ts'
import type { Archive } from '../archive.ts'
import { partsNamed, partsOfMain } from '../relationships.ts'
import { walkXml, type XmlAttributes } from '../xml.ts'
import { addRemarks } from './remarks.ts'
import { readSharedStrings } from './shared-strings.ts'
import { addSheet, type CellSources } from './sheet.ts'
import { readStyles } from './styles.ts'

/** Adds each sheet: its name, its rows, and the remarks and text boxes on it. */
export async function extractWorkbook(
  archive: Archive,
  main: string,
  text: DocumentText,
): Promise<void> {
  const parts = await partsOfMain(archive, main)
  const { sheets, is_mac } = await sheetsOf(archive, main)
  const strings = parts.find(({ kind }) => kind === 'sharedStrings')?.part
  const styles = parts.find(({ kind }) => kind === 'styles')?.part
  const sources: CellSources = {
    strings: strings === undefined ? [] : await readSharedStrings(archive, strings),
    styles: styles === undefined ? [] : await readStyles(archive, styles),
    is_mac,
  }
  const ids = sheets.map(({ id }) => id)
  for (const [at, part] of partsNamed(ids, parts, 'worksheet').entries()) {
    const { name = '', state = 'visible' } = sheets[at] ?? {}
    text.begin()
    text.addLabel(`${name}${state === 'visible' ? '' : ' (hidden sheet)'}\n\n`)
    if (part === undefined) {
      text.noteFault('is missing')
      continue
    }
    await addSheet(archive, part, sources, text)
    await addRemarks(archive, part, text)
    text.addLabel('\n')
  }
}

/** What a workbook says of its sheets, in their order. */
async function sheetsOf(archive: Archive, main: string) {
  const sheets: XmlAttributes[] = []
  let is_mac = false
  await walkXml(archive, main, {
    open(name, attributes) {
      if (name === 'workbookPr') is_mac = /^(1|true)$/.test(attributes.date1904 ?? '')
      if (name === 'sheet') sheets.push(attributes)
    },
  })
  return { sheets, is_mac }
}
