import { isSluiceError } from '../../../base/run/errors.ts'
import { DocumentText, type ReadDocument } from '../document-text.ts'
import { type ExtractLimits, missingPackage, noText, unreadable } from '../extract-limits.ts'
import type { FileToRead } from '../file-kind.ts'
import { as_shapes, unnamed_letters } from '../judge-units.ts'
import { PicturePages } from '../picture-pages.ts'
import { type AnnotationsByPage, annotationsOf } from './annotations.ts'
import { CharacterMaps, installed_maps, maps_package } from './character-maps.ts'
import { hidePixels } from './hide-pixels.ts'
import { addFields, addNotes, fieldOfName, fieldOfWidget, isDrawn } from './page-notes.ts'
import { drawnOn, min_outlines } from './page-pictures.ts'
import { hasUnnamedLetters, pageText } from './page-text.ts'
import { addXfa } from './page-xfa.ts'

type PdfDocument = Awaited<ReturnType<typeof openPdf>>
type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>

/** A file with more broken pages is broken: its page tree can claim millions of pages. */
const max_broken_pages = 100

/** Reads a PDF, one page at a time to save memory. One that needs a password is refused. */
export async function extractPdf(
  { bytes, pictures = new PicturePages() }: Pick<FileToRead, 'bytes' | 'pictures'>,
  limits: ExtractLimits,
  maps_directory = installed_maps,
): Promise<ReadDocument> {
  const maps = new CharacterMaps(maps_directory)
  const document = await openPdf(bytes, maps)
  const text = new DocumentText(limits, 'page')
  try {
    await addPages(document, text, { maps, pictures })
    return pictures.end('pdf', text)
  } catch (error) {
    if (!maps.is_one_missing || !isSluiceError(error, 'ingest.no_text')) throw error
    throw missingPackage(maps_package)
  } finally {
    await document.destroy()
  }
}

/**
 * A form in XFA that pdf.js cannot lay out is read as the pages that it brings for such programs.
 */
async function openPdf(bytes: Buffer, maps: CharacterMaps) {
  const { getDocumentProxy } = await import('unpdf')
  const buffers: ArrayBuffer & { transferToFixedLength?: unknown } = ArrayBuffer.prototype
  buffers.transferToFixedLength ??= copied
  const data = new Uint8Array(bytes)
  hidePixels(data)
  try {
    const copy = data.slice()
    const options = {
      ...withoutScreen(),
      verbosity: 0,
      cMapPacked: false,
      BinaryDataFactory: maps.factory,
    }
    return await getDocumentProxy(copy, { ...options, enableXfa: true }).catch((error) => {
      if (isPasswordError(error)) throw error
      return getDocumentProxy(data, options)
    })
  } catch (error) {
    if (isPasswordError(error)) throw unreadable('encrypted')
    throw error
  }
}

/**
 * With a browser, pdf.js hands it the fonts as they are. Without one, it makes a drawing of each
 * letter, which takes longer than to read the text.
 */
function withoutScreen() {
  const browser = globalThis as typeof globalThis & { FontFace?: unknown }
  browser.FontFace ??= UnseenFont
  return { disableFontFace: false, ownerDocument: { fonts: new Set() } }
}

class UnseenFont {
  readonly loaded = Promise.resolve()
}

/** Node 20 has no `transferToFixedLength`. Without it, pdf.js stops at the first font of a page. */
function copied(this: ArrayBuffer, length: number = this.byteLength): ArrayBuffer {
  const copy = new Uint8Array(length)
  copy.set(new Uint8Array(this, 0, Math.min(length, this.byteLength)))
  return copy.buffer
}

function isPasswordError(error: unknown): boolean {
  return (error as Error).name === 'PasswordException'
}

async function addPages(
  document: PdfDocument,
  text: DocumentText,
  { maps, pictures }: { maps: CharacterMaps; pictures: PicturePages },
): Promise<void> {
  const shown = new Set<string>()
  const annotations = await annotationsOf(document)
  let broken_pages = 0
  for (let number = 1; number <= document.numPages; number++) {
    text.begin()
    if (number > 1) text.addLabel('\n\n')
    try {
      await addPage(await document.getPage(number), text, shown, annotations)
      if (maps.is_one_missing && text.is_short) text.noteFault(`needs the package ${maps_package}`)
    } catch (error) {
      broken_pages++
      const has_none = broken_pages === document.numPages || broken_pages > max_broken_pages
      if (has_none || isSluiceError(error)) throw error
      text.noteFault('cannot be read')
    }
    const recognised = pictures.at(number)
    if (recognised) text.addRecognised(recognised)
  }
  const fields = Object.values((await document.getFieldObjects()) ?? {}).flat()
  addFields(fields.map(fieldOfName), text, shown)
  if (await isPortfolio(document)) {
    if (!/\S/.test(text.text)) throw noText('it has no text, only attached files')
    text.noteFault('holds other files, which are not read')
  }
}

/** A package of files, often behind a page that says so. */
async function isPortfolio(document: PdfDocument): Promise<boolean> {
  const { info } = await document.getMetadata()
  return 'IsCollectionPresent' in info && info.IsCollectionPresent === true
}

/** `shown`: the names of the fields that a page shows. */
async function addPage(
  page: PdfPage,
  text: DocumentText,
  shown: Set<string>,
  known: AnnotationsByPage | undefined,
): Promise<void> {
  const form = page.isPureXfa ? await page.getXfa() : null
  if (form) return addXfa(form, text)
  const words = pageText((await page.getTextContent()).items)
  text.add(words)
  if (hasUnnamedLetters(words)) text.noteFault(unnamed_letters)
  const annotations = known ? (known.get(page.pageNumber - 1) ?? []) : await page.getAnnotations()
  const drawn = annotations.filter(isDrawn)
  const drawing = text.is_short || drawn.length > 0 ? await drawingOf(page) : undefined
  for (const annotation of drawn) {
    annotation.textContent = [drawing?.appearances.get(annotation.id) ?? '']
  }
  const fields = annotations.filter(({ subtype }) => subtype === 'Widget').map(fieldOfWidget)
  addFields(fields, text)
  for (const { name } of fields) shown.add(name)
  addNotes(annotations, text)
  if (drawing !== undefined) text.notePicture(drawing.picture_share)
  // A diagram without a word has some shapes; a text whose letters became shapes has many.
  if (drawing && text.is_wordless && drawing.outlines >= min_outlines) text.noteFault(as_shapes)
  page.cleanup()
}

async function drawingOf(page: PdfPage) {
  const library = await (await import('unpdf')).getResolvedPDFJS()
  return drawnOn(await page.getOperatorList(), page.view, library)
}
