import { compoundOf, numbers, oldWordDocument, properties } from './mail/compound-writer.ts'
import { officePackage, workbookPart } from './office-package.ts'
import { wordDocument, zipOf } from './zip.ts'

/** What the one part of a file holds: these words, nothing, or one picture. */
export type Content = { words: string } | 'nothing' | 'a picture'

/** Makes a small file of each kind. Undefined: a file of this kind cannot hold a picture. */
export const kinds: Readonly<Record<string, (content: Content) => Buffer | string | undefined>> = {
  txt: (content) => inText(content, '-----\n'),
  md: (content) => inText(content, '***\n\n---\n'),
  csv: (content) => inText(content, ',,\n;;\n'),
  json: (content) => inText(content, '{}'),
  html: (content) => {
    const picture = '<img src="data:image/png;base64,iVBORw0KGgo=">'
    return `<html><body><p>${inside(content, picture)}</p></body></html>`
  },
  ipynb: (content) => {
    const cells = isWords(content) ? [{ cell_type: 'markdown', source: [content.words] }] : []
    return content === 'a picture' ? undefined : JSON.stringify({ cells, nbformat: 4 })
  },
  eml: (content) => {
    const start = 'From: a@b.example\nMIME-Version: 1.0\nContent-Type: text/html\n\n'
    return content === 'a picture' ? undefined : `${start}<p>${inside(content, '')}</p>`
  },
  msg: (content) => {
    const streams = properties({ 1000: isWords(content) ? content.words : ' ' })
    if (content === 'a picture') return undefined
    return compoundOf({ ...streams, '__properties_version1.0': numbers(32) })
  },
  doc: (content) => oldWordDocument(`${inside(content, '\u0001')}\r`),
  docx: (content) =>
    wordDocument(`<w:p><w:r>${inside(content, '<w:drawing/>', 'w:t')}</w:r></w:p>`),
  pptx: (content) => {
    const shape = inside(content, '<p:pic/>', 'a:t')
    const slide = {
      kind: 'slide',
      name: 'ppt/slides/slide1.xml',
      content: `<p:sld>${shape}</p:sld>`,
    }
    const main = '<p:presentation><p:sldIdLst><p:sldId r:id="rId1"/></p:sldIdLst></p:presentation>'
    return officePackage({
      kind: 'officeDocument',
      name: 'ppt/presentation.xml',
      content: main,
      related: [slide],
    })
  },
  xlsx: (content) => {
    const rows = isWords(content)
      ? `<row r="1"><c r="A1" t="inlineStr"><is><t>${content.words}</t></is></c></row>`
      : ''
    const drawing = {
      kind: 'drawing',
      name: 'xl/drawings/drawing1.xml',
      content: '<xdr:wsDr><xdr:pic/></xdr:wsDr>',
    }
    return officePackage(workbookPart({ rows, related: content === 'a picture' ? [drawing] : [] }))
  },
  odt: (content) => openDocument('text', inside(content, '<draw:image/>', 'text:p')),
  ods: (content) => {
    const cell = `<table:table-cell>${inside(content, '<draw:image/>', 'text:p')}</table:table-cell>`
    const row = `<table:table-row>${cell}</table:table-row>`
    return openDocument('spreadsheet', `<table:table table:name="Berths">${row}</table:table>`)
  },
  odp: (content) => {
    const page = inside(content, '<draw:image/>', 'text:p')
    return openDocument('presentation', `<draw:page draw:name="page1">${page}</draw:page>`)
  },
  epub: (content) =>
    zipOf([
      { name: 'mimetype', content: 'application/epub+zip' },
      {
        name: 'META-INF/container.xml',
        content: '<container><rootfile full-path="a.opf"/></container>',
      },
      {
        name: 'a.opf',
        content: '<package><item id="c" href="c.xhtml"/><itemref idref="c"/></package>',
      },
      {
        name: 'c.xhtml',
        content: `<html><body>${inside(content, '<img src="a.png"/>', 'p')}</body></html>`,
      },
    ]),
  rtf: (content) => `{\\rtf1\\ansi ${inside(content, '{\\pict\\pngblip 89504e47}')}\\par}`,
  pdf: (content) =>
    pdfOf(
      isWords(content)
        ? `BT /F1 12 Tf 72 700 Td (${content.words}) Tj ET`
        : content === 'a picture'
          ? 'q 500 0 0 700 40 40 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \0 EI Q'
          : '',
    ),
}

function isWords(content: Content): content is { words: string } {
  return typeof content === 'object'
}

function inText(content: Content, nothing: string): string | undefined {
  if (isWords(content)) return content.words
  return content === 'nothing' ? nothing : undefined
}

/** The words in an element, the picture, or nothing. */
function inside(content: Content, picture: string, element?: string): string {
  if (!isWords(content)) return content === 'nothing' ? '' : picture
  return element === undefined ? content.words : `<${element}>${content.words}</${element}>`
}

function openDocument(kind: string, body: string): Buffer {
  return zipOf([
    { name: 'mimetype', content: `application/vnd.oasis.opendocument.${kind}` },
    {
      name: 'content.xml',
      content: `<office:document-content><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    },
  ])
}

/** A PDF of one page with this content stream (PDF 32000-1, 7.5). */
function pdfOf(content: string): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let file = '%PDF-1.4\n'
  const offsets: number[] = []
  for (const [at, object] of objects.entries()) {
    offsets.push(file.length)
    file += `${at + 1} 0 obj\n${object}\nendobj\n`
  }
  const lines = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${lines.join('')}`
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return Buffer.from(file + table + trailer, 'latin1')
}
