import type { ReadUnit } from '../../contract/messages/messages-assets.ts'
import { DocumentText, type ReadDocument } from './document-text.ts'
import { type Archive, numberedParts, openArchive } from './extract-archive.ts'
import { extractEpub } from './extract-epub.ts'
import { type ExtractLimits, unreadable } from './extract-limits.ts'
import { extractWorkbook } from './extract-workbook.ts'
import { gatherText, type TextRules } from './extract-xml.ts'

/** Extracts the text of a document that is a ZIP archive. Its parts show which kind it is. */
export async function extractPackage(bytes: Buffer, limits: ExtractLimits): Promise<ReadDocument> {
  const archive = await openArchive(bytes, limits)
  const { unit, read } = readerOf(archive)
  const text = new DocumentText(limits, unit)
  await read(archive, text)
  return text.end()
}

interface PackageReader {
  unit: ReadUnit
  read(archive: Archive, text: DocumentText): Promise<void>
}

function readerOf(archive: Archive): PackageReader {
  if (archive.names.some((name) => word_body.test(name)))
    return { unit: 'part', read: extractWordDocument }
  if (archive.has('ppt/presentation.xml')) return { unit: 'slide', read: extractPresentation }
  if (archive.has('xl/workbook.xml')) return { unit: 'sheet', read: extractWorkbook }
  if (archive.has('META-INF/container.xml')) return { unit: 'part', read: extractEpub }
  if (archive.has('mimetype') && archive.has('content.xml'))
    return { unit: 'part', read: extractOpenDocument }
  throw unreadable('the archive is not a document that the service can read')
}

/**
 * Word keeps the text of paragraphs, formulas and drawings in elements named `t`. Deleted text
 * (`delText`) and field codes (`instrText`) are left out.
 */
const word_rules: TextRules = {
  text_in: new Set(['t']),
  // A `Fallback` repeats a drawing. A `tab` in properties is a tab stop, not a tab.
  skip: new Set(['Fallback', 'pPr', 'rPr']),
  opens: { tab: '\t', br: '\n', cr: '\n', noBreakHyphen: '-' },
  closes: { p: '\n\n', tr: '\n', tbl: '\n\n' },
  cell: 'tc',
}

/** The part with the body of a Word document. Word in the browser calls it document2.xml. */
const word_body = /^word\/document\d*\.xml$/
/** The parts that are read. Comments are about the document and often by others: left out. */
const word_parts = /^word\/(document|footnotes|endnotes)\d*\.xml$/

async function extractWordDocument(archive: Archive, text: DocumentText): Promise<void> {
  for (const name of archive.names.filter((part) => word_parts.test(part))) {
    await gatherText(archive.stream(name), word_rules, text)
  }
}

const slide_rules: TextRules = {
  text_in: new Set(['t']),
  skip: new Set(['Fallback', 'pPr', 'rPr']),
  opens: { br: '\n', tab: '\t' },
  closes: { p: '\n', tr: '\n' },
  cell: 'tc',
}

/** Adds the slides in the order of their numbers, each with its speaker notes. */
async function extractPresentation(archive: Archive, text: DocumentText): Promise<void> {
  for (const name of numberedParts(archive, 'ppt/slides')) {
    text.begin()
    await gatherText(archive.stream(name), slide_rules, text)
    const notes = name.replace('/slides/slide', '/notesSlides/notesSlide')
    if (notes !== name && archive.has(notes))
      await gatherText(archive.stream(notes), slide_rules, text)
    text.add('\n\n')
  }
}

/** OpenDocument texts, tables and presentations keep text in paragraphs and headings. */
const open_rules: TextRules = {
  text_in: new Set(['p', 'h']),
  // Comments are about the document. Tracked changes contain the deleted text.
  skip: new Set(['tracked-changes', 'annotation']),
  opens: { tab: '\t', s: ' ', 'line-break': '\n' },
  closes: { p: '\n\n', h: '\n\n', 'table-row': '\n', table: '\n\n', page: '\n\n' },
  cell: 'table-cell',
}
const manifest = 'META-INF/manifest.xml'

async function extractOpenDocument(archive: Archive, text: DocumentText): Promise<void> {
  // OpenDocument encrypts the parts, not the archive.
  if (archive.has(manifest) && (await archive.read(manifest)).includes('encryption-data'))
    throw unreadable('encrypted')
  await gatherText(archive.stream('content.xml'), open_rules, text)
}
