import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { ServiceOptions } from '../../../../src/service/options.ts'
import { makeStore } from '../../../rig/tree.ts'
import { line, pdfFile } from '../../ingest/pdf/pdf-file.ts'

type Ingest = NonNullable<ServiceOptions['ingest']>

/** The names of those programs that this machine does not have. */
export function missingHere(...names: readonly string[]): readonly string[] {
  return names.filter((name) => spawnSync('which', [name]).status !== 0)
}

const nouns =
  'harbour captain invoice contract delivery weather morning bridge paper engine garden window number letter money market travel doctor winter summer report section budget project manager service customer office machine picture silver yellow orange purple island river mountain village church school library station ticket passenger luggage'.split(
    ' ',
  )

/** The words of the line of a page, which are the same in each run. */
function wordsOfLine(page: number, at: number): string {
  const words = Array.from(
    { length: 9 },
    (_, place) => nouns[(page * 31 + at * 17 + place * (7 + (at % 5))) % nouns.length],
  )
  return words.join(' ')
}

const lines_of_page = 44

export function wordsOfPage(page: number): readonly string[] {
  return Array.from({ length: lines_of_page }, (_, at) => wordsOfLine(page, at).split(' ')).flat()
}

/** A PDF whose pages are pictures of 200 dpi. */
export function scanOf(pages: number): Buffer {
  return pictureFile(Array.from({ length: pages }, (_, page) => pictureOf(page, 'jpeg')))
}

/** A picture of a page, of 200 dpi. */
export function pictureOf(page: number, format: 'png' | 'tiff' | 'jpeg'): Buffer {
  const directory = makeStore()
  const lines = Array.from({ length: lines_of_page }, (_, at) =>
    line(wordsOfLine(page, at), 740 - 16 * at),
  )
  writeFileSync(join(directory, 'typed.pdf'), pdfFile([{ content: lines.join('') }]))
  const args = [`-${format}`, '-r', '200', 'typed.pdf', 'page']
  execFileSync('pdftoppm', args, { cwd: directory })
  const name = readdirSync(directory).find((found) => found.startsWith('page'))
  return readFileSync(join(directory, name!))
}

/** A PDF with one picture on each page, whose longer side has so many points. */
export function pictureFile(pictures: readonly Buffer[], { points = 800 } = {}): Buffer {
  const sides = [(points * 3) / 4, points] as const
  const pages = pictures.map((_, at) => ({
    content: `q ${sides[0]} 0 0 ${sides[1]} 0 0 cm /P${at} Do Q`,
    resources: `/P${at} ${100 + at} 0 R`,
    entries: `/MediaBox[0 0 ${sides.join(' ')}]`,
  }))
  const objects = pictures.map((picture) => ({
    value:
      '<</Type/XObject/Subtype/Image/Width 1667/Height 2223/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode',
    stream: picture.toString('latin1'),
  }))
  return pdfFile(pages, objects)
}

/** Shell scripts that take the place of programs, in a directory of their own. */
export type Scripts = Readonly<Record<string, string>>

/**
 * The pages of these are known: each page has the word `lanternN`, or none if the file named
 * `empty` stands in the directory of the scripts.
 */
export const quick: Scripts = {
  pdftoppm: `while [ $# -gt 1 ]; do [ "$1" = -f ] && page=$2; shift; done
printf 'P5 2 1 255 \\000\\377%s' "$page" > "$1.pgm"`,
  tesseract: `case $1 in
  --list-langs) printf 'List of languages\\neng\\nosd\\n'; exit;;
  --version) echo tesseract 5.3.0; exit;;
esac
page=$(tail -c +14 "$1" | tr -cd 0-9)
printf '5\\t1\\t1\\t1\\t1\\t1\\t0\\t0\\t9\\t9\\t96\\tlantern%s\\n' "$page" > "$2.tsv"`,
}

/** Options of a service whose programs are these scripts; the shell finds those of the machine. */
export function programs(scripts: Scripts, directory = makeStore()): Ingest {
  for (const name of ['nice', 'setpriv', 'unshare', 'true']) {
    const place = join(directory, name)
    if (!existsSync(place)) symlinkSync(join('/usr/bin', name), place)
  }
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(directory, name), `#!/bin/sh\nPATH=${process.env.PATH}\n${script}\n`)
    chmodSync(join(directory, name), 0o755)
  }
  return { program_path: directory }
}

/** Options of a service that uses the programs of this machine. */
export const of_machine: Ingest = { program_path: process.env.PATH ?? '' }

/** The share of the words of pages that a text has, each as often as it is there. */
export function recallOf(text: string, words: readonly string[]): number {
  const left = new Map<string, number>()
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? [])
    left.set(word, (left.get(word) ?? 0) + 1)
  let found = 0
  for (const word of words) {
    const count = left.get(word) ?? 0
    if (count > 0) found++
    left.set(word, count - 1)
  }
  return found / words.length
}
