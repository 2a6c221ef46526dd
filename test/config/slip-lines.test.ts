import { describe, expect, test } from 'vitest'
import { direct_paths } from '../../src/base/files/paths.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { faultLines } from '../../src/config/faults.ts'
import { checkText } from '../../src/config/load.ts'

const environment = readEnvironment({ HOME: '/none' })

/** Each kind of line is first, in the middle and last in its section or list. */
const lines = `service:
  base_url: https://assistant.example.com
  project_id: project_0123456789abcdefghij
  token_file: /none/token
folders:
  - name: notes
    path: /none/notes
    exclude:
      - "*.bak"
      - old/
      - new/
    labels: [legal, law]
    watch: scan
  - name: more
    path: /none/more
    start: all
uploads:
  concurrency: 4
  limit: { files: 10, bytes: 1GB }
  order: newest
prompts:
  - name: p
    cron: "0 8 * * 1"
    prompt: what is new?
    scope: { folders: [notes] }
log:
  level: info
  format: json`.split('\n')

/** What a slip makes of a line; the line itself where it does not fit. */
const slips: Record<string, (line: string) => string> = {
  'a space too few': (line) => line.replace(/^ /, ''),
  'two spaces too few': (line) => line.replace(/^ {2}/, ''),
  'a space too much': (line) => ` ${line}`,
  'two spaces too much': (line) => `  ${line}`,
  'a tab': (line) => line.replace(/^ +/, '\t'),
  'a space of another kind': (line) => line.replace(/^ /, '\u00a0'),
  'no colon': (line) => line.replace(/: |:$/, ' '),
  'no space after a colon': (line) => line.replace(': ', ':'),
  'a second colon': (line) => line.replace(/: [a-z].*/, '$&: x'),
  'no dash': (line) => line.replace(/- (?!")/, '  '),
  'no space after a dash': (line) => line.replace('- ', '-'),
  'a quote': (line) => line.replace(/: ([a-z])/, ': "$1'),
  'an apostrophe': (line) => line.replace(/: ([a-z])/, ": '$1"),
  'a quote at the end': (line) => line.replace(/: [/a-z].*[a-z]$/, '$&"'),
  'no end of a list': (line) => line.replace(/]$/, ''),
  'no end of a section': (line) => line.replace(' }', ''),
  'a star': (line) => line.replace(/: [a-z].*/, ': *x'),
  'an exclamation mark': (line) => line.replace(/: [a-z].*/, ': !x'),
  'a typographic quote': (line) => line.replace(/: (\w.*)/, ': “$1”'),
  'a zero byte': (line) => `${line}\0`,
  'a wrong name': (line) => line.replace(/[a-z]+:/, 'x$&'),
  'a field twice': (line) => line.replace(/^ *[a-z_]+: .*/, '$&\n$&'),
  'a line of something else': (line) => `${line}\njunk`,
  'a second document': (line) => `${line}\n---`,
}

/** Slips that leave a valid file. */
const valid = [
  /^ {0,2}prompts:$/, // the first of two sections in the same column
  /^ *(- )?prompt: what is new\?"$/,
]

/** The file with another line, and the number of that line in it. */
function withLine(
  at: number,
  line: string,
  { end, commented }: { end: string; commented: boolean },
) {
  const parts = lines.map((other, index) => {
    const blank = /^ */.exec(other)![0]
    const comment = commented ? [`${blank}# a comment: "with" marks`, ''] : []
    return [...comment, ...(index === at ? line : other).split('\n')]
  })
  return { text: `${parts.flat().join(end)}${end}`, line: parts.slice(0, at + 1).flat().length }
}

function faultsIn(text: string): string[] {
  const { faults, placeOf } = checkText(text, environment, direct_paths)
  return faultLines(faults, undefined, placeOf)
}

describe.each([
  ['among comments and empty lines', { end: '\n', commented: true }],
  ['with the line ends of Windows', { end: '\r\n', commented: false }],
])('%s', (_, around) => {
  test.each(Object.entries(slips))('%s is one fault, in its line', (_, slip) => {
    const wrong = lines.flatMap((line, at) => {
      const changed = slip(line)
      if (changed === line || valid.some((pattern) => pattern.test(changed))) return []
      const made = withLine(at, changed, around)
      const faults = faultsIn(made.text)
      const is_right = faults.length === 1 && faults[0]!.startsWith(`${made.line}:`)
      return is_right ? [] : [`${at + 1} ${changed}: ${made.line}, not ${faults.join(' | ')}`]
    })
    expect(wrong).toEqual([])
  })
})

test('the file without a slip has no fault', () => {
  expect(faultsIn(lines.join('\n'))).toEqual([])
})
