import type { DocumentText } from '../../document-text.ts'
import type { Archive } from '../archive.ts'
import { partsOfMain, type Relationship } from '../relationships.ts'
import { walkXml } from '../xml.ts'
import { addRemarks } from './remarks.ts'
import { readSharedStrings } from './shared-strings.ts'
import { addSheet, type CellSources } from './sheet.ts'
import { readStyles } from './styles.ts'

interface Sheet {
  name: string
  is_hidden: boolean
  /** Undefined if the archive lacks it. */
  part: string | undefined
}

/** Adds each sheet: its name, its rows, and the remarks and text boxes on it. */
export async function extractWorkbook(
  archive: Archive,
  main: string,
  text: DocumentText,
): Promise<void> {
  const parts = (await partsOfMain(archive, main)).filter(({ part }) => archive.has(part))
  const { sheets, is_mac } = await sheetsOf(archive, main, parts)
  const strings = parts.find(({ kind }) => kind === 'sharedStrings')?.part
  const styles = parts.find(({ kind }) => kind === 'styles')?.part
  const sources: CellSources = {
    strings: strings === undefined ? [] : await readSharedStrings(archive, strings),
    styles: styles === undefined ? [] : await readStyles(archive, styles),
    is_mac,
  }
  for (const { name, is_hidden, part } of sheets) {
    text.begin()
    text.addLabel(`${name}${is_hidden ? ' (hidden sheet)' : ''}\n\n`)
    if (part === undefined) {
      text.noteFault('is missing')
      continue
    }
    await addSheet(archive, part, sources, text)
    await addRemarks(archive, part, text)
    text.addLabel('\n')
  }
}

async function sheetsOf(archive: Archive, main: string, parts: readonly Relationship[]) {
  const unlisted = parts.filter(({ kind, id }) => kind === 'worksheet' && id === '')
  const sheets: Sheet[] = []
  let is_mac = false
  await walkXml(archive.stream(main), {
    open(element, { name = '', state = 'visible', date1904 = '', id }) {
      if (element === 'workbookPr') is_mac = /^(1|true)$/.test(date1904)
      if (element !== 'sheet') return
      const named = parts.find((part) => part.id === id)
      const found = named ?? unlisted.shift()
      sheets.push({ name, is_hidden: state !== 'visible', part: found?.part })
    },
  })
  for (const { part } of unlisted) sheets.push({ name: '', is_hidden: false, part })
  return { sheets, is_mac }
}
