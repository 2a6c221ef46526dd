import { officePackage, wordPart, workbookPart } from '../../service/ingest/office-package.ts'

/** A file of the office, and the line of it that a good report repeats. */
interface OfficeFile {
  path: string
  fact: string
  bytes: Buffer
}

const invoice_rows = 400
const clauses = [
  'The parties deliver at the quay in Kiel between six in the morning and noon, on each weekday.',
  'The customer checks the goods at once and reports a defect in writing within ten days.',
  'Payment is due within thirty days of the invoice, without a discount, to the account named there.',
  'Both sides keep secret what they learn of each other, for three years after the end.',
]
const topics = [
  'The berth plan was agreed as it hangs in the hall; nobody had anything to add.',
  'The crane was looked at, and its next inspection is due before the winter.',
  'The list of keys is complete again; two of them had been in the drawer of the porter.',
]

const numbered = (count: number) => Array.from({ length: count }, (_, at) => at + 1)
const factOf = (number: number, path: string, text: string) =>
  `FACT-${String(number).padStart(4, '0')} ${path.slice(path.lastIndexOf('/') + 1)}: ${text}`

/** Eight contracts of two pages each, as Word documents. */
export const contracts: readonly OfficeFile[] = numbered(8).map((at) => {
  const path = `contracts/contract-${at}.docx`
  const fact = factOf(at, path, `the rent is ${at * 110} crowns a month`)
  const lines = [`Contract ${at}`, ...numbered(8).flatMap(() => clauses), fact, ...clauses]
  const body = lines.map((line) => `<w:p><w:r><w:t>${line}</w:t></w:r></w:p>`).join('')
  return { path, fact, bytes: officePackage(wordPart(body)) }
})

/** Nine minutes of meetings. */
export const minutes: readonly OfficeFile[] = numbered(9).map((at) => {
  const path = `minutes/2026-11-0${at}.md`
  const fact = factOf(100 + at, path, `the meeting decided to buy ${at + 2} lamps`)
  const text = [`# Minutes of November ${at}`, ...topics, `## Decisions`, fact].join('\n\n')
  return { path, fact, bytes: Buffer.from(`${text}\n`) }
})

const price_list: OfficeFile = {
  path: 'prices.csv',
  fact: factOf(201, 'prices.csv', 'a rope costs 12 crowns'),
  bytes: Buffer.from(`item,price\nFACT-0201 prices.csv: a rope costs 12 crowns,12\nlamp,40\n`),
}

const invoices: OfficeFile = {
  path: 'invoices.xlsx',
  fact: factOf(202, 'invoices.xlsx', 'invoice 399 is open'),
  bytes: officePackage(workbookPart({ rows: numbered(invoice_rows).map(rowOf).join('') })),
}

function rowOf(at: number): string {
  const about =
    at === invoice_rows - 1
      ? 'FACT-0202 invoices.xlsx: invoice 399 is open'
      : `invoice ${at} was paid on time`
  return `<row r="${at}"><c r="A${at}"><v>${at}</v></c><c r="B${at}" t="inlineStr"><is><t>${about}</t></is></c></row>`
}

/** Nineteen files: eight contracts, nine minutes, a price list, a table of 400 invoices. */
export const office_folder: readonly OfficeFile[] = [...contracts, ...minutes, price_list, invoices]

export function treeOf(files: readonly OfficeFile[]): Record<string, Buffer> {
  return Object.fromEntries(files.map(({ path, bytes }) => [path, bytes]))
}
