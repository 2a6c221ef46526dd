import type { ReadUnit } from '../../../../contract/messages/messages-assets.ts'
import type { DocumentText } from '../../document-text.ts'
import { unreadable } from '../../extract-limits.ts'
import { FlowText } from '../../text/flow-text.ts'
import type { Archive } from '../archive.ts'
import { readOptional } from '../optional-part.ts'
import { walkXml } from '../xml.ts'
import { OpenBody } from './open-body.ts'
import { OpenLists } from './open-lists.ts'
import { readObjects } from './open-objects.ts'
import { readPageStyles } from './page-styles.ts'

const manifest = 'META-INF/manifest.xml'
const units: Readonly<Record<string, ReadUnit>> = {
  text: 'part',
  spreadsheet: 'sheet',
  presentation: 'slide',
  graphics: 'page',
}

/** The unit of an OpenDocument file, by the type it declares; undefined if it is none. */
export async function openDocumentUnit(archive: Archive): Promise<ReadUnit | undefined> {
  for (const part of ['mimetype', manifest]) {
    let declared = ''
    await readOptional(archive, [part], { noteFault() {} }, async () => {
      declared = (await archive.read(part)).toString('latin1')
    })
    const unit = unitOf(declared)
    if (unit !== undefined) return unit
  }
  return archive.has('mimetype') ? 'part' : undefined
}

/** The unit by a text that has the type. */
export function unitOf(declared: string): ReadUnit | undefined {
  return units[/opendocument\.(text|spreadsheet|presentation|graphics)/.exec(declared)?.[1] ?? '']
}

/**
 * Adds the body of an OpenDocument file, behind the headers and footers of its pages. Throws if the
 * file is encrypted: OpenDocument encrypts the parts, not the archive.
 */
export async function extractOpenDocument(
  archive: Archive,
  unit: ReadUnit,
  text: DocumentText,
): Promise<void> {
  if (archive.has(manifest))
    await readOptional(archive, [manifest], text, async () => {
      if ((await archive.read(manifest)).includes('encryption-data')) throw unreadable('encrypted')
    })
  const lists = new OpenLists()
  const { page_area, margins } = await readPageStyles(archive, lists, text)
  for (const margin of margins) new FlowText(text).addLabel(margin)
  const objects = await readObjects(archive)
  const body = new OpenBody(text, { unit, page_area, objects, lists })
  await walkXml(archive, 'content.xml', body)
}
