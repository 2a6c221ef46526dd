/** One object of a PDF: its dictionary or value, and the bytes of its stream. */
interface PdfObject {
  value: string
  stream?: string
}

interface PdfPage {
  /** The operators of the page: PDF 32000-1, annex A. */
  content?: string
  /** Entries of the dictionary of its operators. */
  stream_entries?: string
  /** More pictures or forms that the page names, such as `/P1 101 0 R`. */
  resources?: string
  /** Entries of the page's dictionary, such as `/Annots [20 0 R]`. */
  entries?: string
}

/** Numbers of objects that `more` of `pdfFile` adds begin here. */
const first_own_number = 100
/** Numbers of pages and their contents, behind those. */
const first_page_number = 1_000

/** The font F1 and the picture Im of each page, and objects of a test's own. */
export function pdfFile(
  pages: readonly PdfPage[],
  more: readonly PdfObject[] = [],
  catalog = '',
): Buffer {
  const objects = new Map<number, PdfObject>()
  const kids = pages.map((_, index) => `${first_page_number + 2 * index} 0 R`).join(' ')
  objects.set(1, { value: `<</Type/Catalog/Pages 2 0 R ${catalog}>>` })
  objects.set(2, { value: `<</Type/Pages/Count ${pages.length}/Kids[${kids}]>>` })
  objects.set(3, { value: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>' })
  objects.set(4, {
    value:
      '<</Type/XObject/Subtype/Image/Width 1700/Height 2200/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode',
    stream: 'pixels',
  })
  for (const [index, page] of pages.entries()) {
    const { content = '', entries = '', stream_entries = '', resources: own = '' } = page
    const number = first_page_number + 2 * index
    const box = entries.includes('/MediaBox') ? '' : '/MediaBox[0 0 600 800]'
    const resources = `/Resources<</Font<</F1 3 0 R>>/XObject<</Im 4 0 R/Fm 100 0 R ${own}>>/Pattern<</P 100 0 R>>>>`
    objects.set(number, {
      value: `<</Type/Page/Parent 2 0 R${box}${resources}/Contents ${number + 1} 0 R ${entries}>>`,
    })
    objects.set(number + 1, { value: `<<${stream_entries}`, stream: content })
  }
  for (const [index, object] of more.entries()) objects.set(first_own_number + index, object)
  return written(objects)
}

/** Operators that write a line of text at the top of a page. */
export function line(words: string, y = 700): string {
  return `BT /F1 12 Tf 50 ${y} Td (${words}) Tj ET\n`
}

/** Operators that paint the picture `Im` on a part of a page. */
export function picture(left: number, bottom: number, width: number, height: number): string {
  return `q ${width} 0 0 ${height} ${left} ${bottom} cm /Im Do Q\n`
}

function written(objects: ReadonlyMap<number, PdfObject>): Buffer {
  let file = '%PDF-1.7\n'
  const places = new Map<number, number>()
  for (const [number, { value, stream }] of objects) {
    places.set(number, file.length)
    const body =
      stream === undefined
        ? value
        : `${value}/Length ${stream.length}>>\nstream\n${stream}\nendstream`
    file += `${number} 0 obj\n${body}\nendobj\n`
  }
  const table = [...places].map(
    ([number, place]) => `${number} 1\n${`${place}`.padStart(10, '0')} 00000 n \n`,
  )
  const size = Math.max(...places.keys()) + 1
  const start = file.length
  file += `xref\n0 1\n0000000000 65535 f \n${table.join('')}`
  return Buffer.from(
    `${file}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF`,
    'latin1',
  )
}
