import { type ZipPart, zipOf } from './zip.ts'

export interface RelatedPart extends ZipPart {
  kind: string
  /** Parts that this part names, by kind. */
  related?: readonly RelatedPart[]
}

const transitional = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** An Office document whose parts name one another by relationships `rId1`, `rId2` and so on. */
export function officePackage(main: RelatedPart, types = transitional): Buffer {
  return zipOf(officeParts(main, types))
}

/** The parts of such a document, with the lists of their relationships. */
export function officeParts(main: RelatedPart, types = transitional): ZipPart[] {
  return partsOf('', [main], types)
}

function partsOf(owner: string, related: readonly RelatedPart[], types: string): ZipPart[] {
  if (related.length === 0) return []
  const folder = owner.replace(/[^/]*$/, '')
  const lines = related.map(
    ({ kind, name }, at) =>
      `<Relationship Id="rId${at + 1}" Type="${types}/${kind}" Target="/${name}"/>`,
  )
  const list = {
    name: `${folder}_rels/${owner.slice(folder.length)}.rels`,
    content: `<Relationships>${lines.join('')}</Relationships>`,
  }
  return [
    list,
    ...related.flatMap((part) => [part, ...partsOf(part.name, part.related ?? [], types)]),
  ]
}

interface WorkbookContent {
  /** XML of the rows of the only sheet, Berths. */
  rows: string
  /** XML before the rows. */
  cols?: string
  /** XML of the items of the shared strings. */
  strings?: string
  /** Format codes of styles 1, 2 and so on; a number is one that is built in. */
  formats?: readonly (string | number)[]
  is_mac?: boolean
  /** Attributes of the sheet in the workbook. */
  sheet?: string
  /** Parts that the sheet names. */
  related?: readonly RelatedPart[]
}

export function workbookPart(content: WorkbookContent): RelatedPart {
  const {
    rows,
    cols = '',
    strings = '',
    formats = [],
    is_mac = false,
    sheet = '',
    related = [],
  } = content
  const codes = formats.map((code, at) =>
    typeof code === 'number' ? '' : `<numFmt numFmtId="${164 + at}" formatCode="${code}"/>`,
  )
  const styles = formats.map(
    (code, at) => `<xf numFmtId="${typeof code === 'number' ? code : 164 + at}"/>`,
  )
  return {
    kind: 'officeDocument',
    name: 'xl/workbook.xml',
    content: `<workbook><workbookPr date1904="${is_mac ? 1 : 0}"/><sheets><sheet name="Berths" sheetId="1" r:id="rId1" ${sheet}/></sheets></workbook>`,
    related: [
      {
        kind: 'worksheet',
        name: 'xl/worksheets/sheet1.xml',
        content: `<worksheet>${cols}<sheetData>${rows}</sheetData></worksheet>`,
        related,
      },
      { kind: 'sharedStrings', name: 'xl/sharedStrings.xml', content: `<sst>${strings}</sst>` },
      {
        kind: 'styles',
        name: 'xl/styles.xml',
        content: `<styleSheet><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
          <cellXfs><xf numFmtId="0"/>${styles.join('')}</cellXfs></styleSheet>`,
      },
    ],
  }
}

/** A Word document with this XML in its body. */
export function wordPart(body: string, related: readonly RelatedPart[] = []): RelatedPart {
  return {
    kind: 'officeDocument',
    name: 'word/document.xml',
    content: `<w:document><w:body>${body}</w:body></w:document>`,
    related,
  }
}

/** A presentation; a slide is its XML and the parts that it names. */
export function presentationPart(
  slides: readonly { content: string; related?: readonly RelatedPart[] }[],
): RelatedPart {
  const ids = slides.map((_, at) => `<p:sldId id="${256 + at}" r:id="rId${at + 1}"/>`)
  // Sections name the slides again, without their parts.
  const sections = slides.map((_, at) => `<p14:sldId id="${256 + at}"/>`)
  return {
    kind: 'officeDocument',
    name: 'ppt/presentation.xml',
    content: `<p:presentation><p:sldIdLst>${ids.join('')}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:extLst><p14:section><p14:sldIdLst>${sections.join('')}</p14:sldIdLst></p14:section></p:extLst></p:presentation>`,
    related: slides.map((slide, at) => ({
      kind: 'slide',
      name: `ppt/slides/slide${at + 1}.xml`,
      ...slide,
    })),
  }
}
