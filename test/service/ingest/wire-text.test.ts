import { describe, expect, test } from 'vitest'
import { sourceFault } from '../../../src/service/ingest/text/source-text.ts'

const noise = Buffer.from(Array.from({ length: 600 }, (_, at) => (at * 7_919) % 256)).toString(
  'base64',
)
/** 64 hexadecimal digits that look random. */
const hex = Buffer.from(noise, 'base64').subarray(300, 332).toString('hex')
const prose = 'The ropes are new. '.repeat(40)
const zeros = Buffer.concat([
  Buffer.from(noise, 'base64'),
  Buffer.alloc(900),
  Buffer.from(noise, 'base64'),
]).toString('base64')
const lines = (text: string, length: number, end = '\n') =>
  text.replace(new RegExp(`.{${length}}`, 'g'), `$&${end}`)
const head = 'From: erika@harbour.example\r\nTo: yrsa@harbour.example\r\nSubject: Ropes\r\n'
const xml = '<?xml version="1.0"?>\n'

describe('a form for programs is no document', () => {
  test.each([
    [
      'SpreadsheetML',
      `${xml}<?mso-application progid="Excel.Sheet"?>\n<Workbook xmlns="urn:schemas">`,
      'one XML file',
    ],
    [
      'SpreadsheetML without its mark',
      `${xml}<ss:Workbook xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">`,
      'a workbook',
    ],
    [
      'Word 2003',
      `${xml}<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml">`,
      'a Word document',
    ],
    ['flat Office', `${xml}<pkg:package xmlns:pkg="http://x/2006/xmlPackage">`, 'an Office'],
    ['a private key', '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n', 'armour'],
    ['a message of PGP', '-----BEGIN PGP MESSAGE-----\n\nhQEM\n', 'armour'],
    ['uuencode', `begin 644 a.bin\nM${'A'.repeat(60)}\n`, 'uuencode'],
    ['base64', noise, 'mostly encoded data'],
    ['text in base64', Buffer.from('The ropes are new. '.repeat(40)).toString('base64'), 'mostly'],
    ['base64 in lines of 48', lines(noise, 48), 'mostly'],
    ['base64 in lines of 76 with CRLF', lines(noise, 76, '\r\n'), 'mostly'],
    ['text in base64 in lines', lines(Buffer.from(prose).toString('base64'), 64), 'mostly'],
    ['base64 of a file with zeros in it', lines(zeros, 76), 'mostly'],
    ['base64 in JSON', `{"name": "scan", "content": "${noise.repeat(9)}"}`, 'mostly'],
    ['base64 for addresses', noise.replaceAll('+', '-').replaceAll('/', '_'), 'mostly'],
    ['random hexadecimal digits', hex.repeat(4), 'mostly'],
    ['uuencode without its beginning', `M${'%!5B'.repeat(15)}\n`.repeat(20), 'mostly'],
    [
      'a data URI of a page',
      'data:text/html,%3Ch1%3EOur%20harbour%20has%20berths%3C%2Fh1%3E',
      'mostly',
    ],
    ['a data URI of text', 'data:text/plain;base64,VGhlIHJvcGVzIGFyZSBuZXcu', 'mostly'],
    ['data URIs, one a line', `data:image/gif;base64,${noise}\n`.repeat(3), 'mostly'],
    ['a data URI', `{"picture": "data:image/png;base64,${noise}"}`, 'mostly encoded data'],
  ])('%s', (_what, text, kind) => {
    const fault = sourceFault(text, 'a.txt')?.message
    expect(fault).toContain(kind)
    expect(fault).toMatch(/^it is .*, which the service does not read yet$/)
  })

  test.each([
    ['a notebook with pictures', `{"cells": [], "data": "${noise.repeat(9)}", "nbformat": 4}`],
    ['a note that quotes mail', `Erika wrote:\n\n> From: a@b\n> To: c@d\n> MIME-Version: 1.0\n`],
    ['a memo with the names of mail', `${head}\r\nHello`],
    ['a mail below other text', `Please read this.\n\n${head}MIME-Version: 1.0\r\n\r\nHello`],
    ['settings', 'name: a\nversion: 1\ndate: today\n'],
    ['a contact', 'BEGIN:VCARD\nVERSION:3.0\nFN:Erika\nEND:VCARD\n'],
    ['a calendar', 'BEGIN:VCALENDAR\nVERSION:2.0\nEND:VCALENDAR\n'],
    ['a signed text', '-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nThe ropes are new.\n'],
    ['a text with a small picture', `${'The ropes are new. '.repeat(80)}${noise}`],
    ['a sequence of letters', 'ACGT'.repeat(200)],
    ['hexadecimal digits', '0123456789abcdef'.repeat(40)],
    ['a path', `at /dev/shm/${'sluice-store-6634-rYxNbFnJ7Q10/reports/TestFile1/'.repeat(3)}a`],
    ['names of a program', 'createReadingProcess/keepReadingTable2_openSettings_'.repeat(9)],
    ['other XML', `${xml}<document><package>text</package></document>`],
    ['JSON', '{"cells": ["a"], "name": "b"}'],
    ['a text about a beginning', 'begin 644 things at once\nand end none\n'],
  ])('but not %s', (_what, text) => expect(sourceFault(text, 'a.txt')).toBeUndefined())
})

describe('it says nothing about the kind that the name of the file says', () => {
  test.each([
    ['a.txt', noise, 'ingest.wire_form'],
    ['a.html', noise, 'ingest.wire_form'],
    ['a.csv', noise, 'ingest.wire_form'],
    ['a.md', noise, 'ingest.wire_form'],
    ['a.xml', `${xml}<pkg:package xmlns:pkg="http://x/2006/xmlPackage">`, 'ingest.wire_form'],
    ['a', noise, 'ingest.wire_form'],
    ['a.pem', '-----BEGIN PRIVATE KEY-----\nMIIE\n', 'ingest.unreadable'],
    ['a.txt', '%!PS-Adobe-3.0\n', 'ingest.wire_form'],
    ['a.eps', '%!PS-Adobe-3.0\n', 'ingest.unreadable'],
    ['a.xml', `${xml}<svg><text>Berth</text></svg>`, 'ingest.wire_form'],
    ['a.svg', `${xml}<svg><text>Berth</text></svg>`, 'ingest.unreadable'],
    ['a.txt', 'P2 2 2 255\n0 1\n2 3\n', 'ingest.wire_form'],
    ['a.txt', '{\\xtf1\\ansi\\deff0 Berth}', 'ingest.wire_form'],
    ['a.txt', '1 0 obj\n<<>>\nendobj\nstartxref\n9\n%%EOF\n', 'ingest.wire_form'],
    ['a.pdf', '1 0 obj\n<<>>\nendobj\n', 'ingest.unreadable'],
  ])('%s: case %#', (name, text, code) => expect(sourceFault(text, name)?.code).toBe(code))
})
