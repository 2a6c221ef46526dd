import type { DocumentText } from '../../document-text.ts'
import type { Archive } from '../archive.ts'
import { type Faults, readOptional } from '../optional-part.ts'
import { partsNamed, partsOfKind, partsOfMain, type Relationship } from '../relationships.ts'
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
  // What all sheets refer to is missing on each of them.
  const common: string[] = []
  const faults = { noteFault: (fault: string) => common.push(fault) }
  const parts = await partsOfMain(archive, main, faults)
  const { sheets, is_mac } = await sheetsOf(archive, main)
  const sources = { ...(await cellSources(archive, parts, faults)), is_mac }
  const ids = sheets.map(({ id }) => id)
  for (const [at, part] of partsNamed(ids, parts, 'worksheet').entries()) {
    const { name = '', state = 'visible' } = sheets[at] ?? {}
    text.begin(name)
    text.addLabel(`${name}${state === 'visible' ? '' : ' (hidden sheet)'}\n\n`)
    if (part === undefined) {
      text.noteFault('is missing')
      continue
    }
    for (const fault of common) text.noteFault(fault)
    await readOptional(archive, [part], text, () => addSheet(archive, part, sources, text))
    await addRemarks(archive, part, text)
    text.addLabel('\n')
  }
}

/** What the cells of all sheets refer to; of a broken part, what stands before the fault. */
async function cellSources(
  archive: Archive,
  parts: readonly Relationship[],
  faults: Faults,
): Promise<Pick<CellSources, 'strings' | 'styles'>> {
  const strings: string[] = []
  const styles: (string | undefined)[] = []
  await readOptional(archive, partsOfKind(parts, 'sharedStrings'), faults, (part) =>
    readSharedStrings(archive, part, strings),
  )
  await readOptional(archive, partsOfKind(parts, 'styles'), faults, (part) =>
    readStyles(archive, part, styles),
  )
  return { strings, styles }
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
