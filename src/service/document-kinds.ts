/** Names and media types of documents whose text has to be taken out of a format: PDF, office files, e-books. */
const document_type =
  /^(application\/(pdf|rtf|epub\+zip|vnd\.openxmlformats-officedocument\.(wordprocessingml\.document|presentationml\.presentation|spreadsheetml\.sheet)|vnd\.oasis\.opendocument\.(text|spreadsheet|presentation))|text\/rtf)\s*(;|$)/i
const document_name = /\.(pdf|rtf|docx|xlsx|pptx|od[tsp]|epub)$/i

export function isNamedDocument({ filename, mime_type }: { filename: string; mime_type: string }): boolean {
  return document_name.test(filename) || document_type.test(mime_type)
}

export function isNamedPdf({ filename, mime_type }: { filename: string; mime_type: string }): boolean {
  return /\.pdf$/i.test(filename) || /^application\/pdf\b/i.test(mime_type)
}

/** Mail gateways and printers put lines in front of a PDF; readers look for its mark in the first 1,024 bytes. */
export function hasPdfMark(bytes: Buffer): boolean {
  return bytes.subarray(0, 1_024).includes('%PDF-')
}

export type DocumentFormat = 'pdf' | 'rtf' | 'zip' | 'old office'

const marks: readonly [DocumentFormat, string][] = [
  ['pdf', '%PDF-'],
  ['rtf', '{\\rtf'],
  ['zip', 'PK\u0003\u0004'],
  // Office files of before 2007, and encrypted ones of today.
  ['old office', '\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1'],
]

/** By the first bytes, which do not lie where a name may. */
export function formatOf(bytes: Buffer): DocumentFormat | undefined {
  const start = bytes.subarray(0, 8).toString('latin1')
  return marks.find(([, mark]) => start.startsWith(mark))?.[0]
}
