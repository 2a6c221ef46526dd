import { describe, expect, test } from 'vitest'
import { sourceFault } from '../../../src/service/ingest/text/source-text.ts'

const noise = Buffer.from(Array.from({ length: 600 }, (_, at) => (at * 7_919) % 256)).toString(
  'base64',
)
const head = 'From: erika@harbour.example\r\nTo: yrsa@harbour.example\r\nSubject: Ropes\r\n'
const xml = '<?xml version="1.0"?>\n'

describe('a form for programs is no document', () => {
  test.each([
    ['mail', `${head}MIME-Version: 1.0\r\nContent-Type: text/plain\r\n\r\nHello`, 'mail'],
    ['a folded head', `Received: from a\r\n\tby b; date\r\n${head}\r\nHello`, 'mail'],
    [
      'a mailbox',
      `From a@b.example Mon Jan  1 00:00:00 2026\n${head}Message-ID: <1@b>\n\nHi`,
      'mail',
    ],
    [
      'a saved page (MHT)',
      `${head}MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="x"\r\n\r\n--x`,
      'mail',
    ],
    [
      'SpreadsheetML',
      `${xml}<?mso-application progid="Excel.Sheet"?>\n<Workbook xmlns="urn:schemas">`,
      'one XML file',
    ],
    ['SpreadsheetML without its mark', `${xml}<ss:Workbook xmlns:ss="urn">`, 'a workbook'],
    ['Word 2003', `${xml}<w:wordDocument xmlns:w="x">`, 'a Word document'],
    ['flat Office', `${xml}<pkg:package xmlns:pkg="http://x/2006/xmlPackage">`, 'an Office'],
    [
      'flat OpenDocument',
      `${xml}<office:document xmlns:office="urn:opendocument">`,
      'OpenDocument',
    ],
    ['a notebook', '{\n "cells": [],\n "nbformat": 4\n}', 'a notebook'],
    ['a private key', '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n', 'armour'],
    ['a message of PGP', '-----BEGIN PGP MESSAGE-----\n\nhQEM\n', 'armour'],
    ['uuencode', `begin 644 a.bin\nM${'A'.repeat(60)}\n`, 'uuencode'],
    ['base64', noise, 'mostly encoded data'],
    ['text in base64', Buffer.from('The ropes are new. '.repeat(40)).toString('base64'), 'mostly'],
    ['a data URI', `{"picture": "data:image/png;base64,${noise}"}`, 'mostly encoded data'],
  ])('%s', (_what, text, kind) => {
    const fault = sourceFault(text, 'a.txt')?.message
    expect(fault).toContain(kind)
    expect(fault).toMatch(/^it is .*, which the service does not read yet$/)
  })

  test.each([
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
  const mail = `${head}MIME-Version: 1.0\r\n\r\nHello`
  test.each([
    ['a.txt', mail, 'ingest.wire_form'],
    ['a.html', mail, 'ingest.wire_form'],
    ['a.csv', noise, 'ingest.wire_form'],
    ['a.md', noise, 'ingest.wire_form'],
    ['a.xml', `${xml}<pkg:package xmlns:pkg="http://x/2006/xmlPackage">`, 'ingest.wire_form'],
    ['a.json', '{\n "cells": [],\n "nbformat": 4\n}', 'ingest.wire_form'],
    ['mail', mail, 'ingest.wire_form'],
    ['a.eml', mail, 'ingest.unreadable'],
    ['a.MHT', mail, 'ingest.unreadable'],
    ['a.ipynb', '{\n "cells": [],\n "nbformat": 4\n}', 'ingest.unreadable'],
    ['a.pem', '-----BEGIN PRIVATE KEY-----\nMIIE\n', 'ingest.unreadable'],
    ['a.txt', '%!PS-Adobe-3.0\n', 'ingest.unreadable'],
  ])('%s: case %#', (name, text, code) => expect(sourceFault(text, name)?.code).toBe(code))
})
