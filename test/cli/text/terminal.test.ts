import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitText, textWidth } from '../../../src/base/text/format.ts'
import { tableLines } from '../../../src/cli/text/table.ts'
import { createTerminal } from '../../../src/cli/text/terminal.ts'

const nowhere = { write: () => true }

test('uses colours only on a terminal, and never if NO_COLOR is set', () => {
  const red = (isTTY: boolean, no_color: boolean) =>
    createTerminal({ stdout: { ...nowhere, isTTY }, stderr: nowhere, no_color }).styles.red('x')
  expect(red(true, false)).toBe('\u001b[31mx\u001b[39m')
  expect(red(true, true)).toBe('x')
  expect(red(false, false)).toBe('x')
})

test('FORCE_COLOR colours a pipe as well; NO_COLOR overrides it', () => {
  const red = (no_color: boolean) =>
    createTerminal({ stdout: nowhere, stderr: nowhere, no_color, force_color: true }).styles.red(
      'x',
    )
  expect([red(false), red(true)]).toEqual(['\u001b[31mx\u001b[39m', 'x'])
})

test('decides for each stream: errors in a file have no colours', () => {
  const { styles, err_styles } = createTerminal({
    stdout: { ...nowhere, isTTY: true },
    stderr: nowhere,
    no_color: false,
  })
  expect([styles.dim('x'), err_styles.dim('x')]).toEqual(['\u001b[2mx\u001b[22m', 'x'])
})

test('the width follows the window, and has no limit in a pipe', () => {
  const window = { ...nowhere, isTTY: true, columns: 120 }
  const terminal = createTerminal({ stdout: window, stderr: nowhere, no_color: true })
  expect(terminal.width).toBe(120)
  window.columns = 60
  expect(terminal.width).toBe(60)
  expect(
    createTerminal({ stdout: { ...nowhere, isTTY: true }, stderr: nowhere, no_color: true }).width,
  ).toBe(80)
  expect(createTerminal({ stdout: nowhere, stderr: nowhere, no_color: true }).width).toBe(
    Number.POSITIVE_INFINITY,
  )
})

test.each([
  ['abc', 3],
  ['Übergröße', 9],
  ['報告書', 6],
  ['한국어', 6],
  ['📈', 2],
  ['👩‍👩‍👧', 2],
  ['e\u0301', 1],
  ['❤️', 2],
])('%s takes %d columns', (text, width) => expect(textWidth(text)).toBe(width))

test.each([
  ['folder/long/name.txt', 11, 'folde…e.txt'],
  ['short', 5, 'short'],
  ['報告書報告書', 7, '報…書'],
  ['abc', 1, '…'],
  ['abc', 0, ''],
])('%s in %d columns', (text, width, fitted) => expect(fitText(text, width)).toBe(fitted))

test('a shortened text is never too wide, and a text that fits is unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat({ max: 40 }), (text, width) => {
      const fitted = fitText(text, width)
      expect(textWidth(fitted)).toBeLessThanOrEqual(width)
      if (textWidth(text) <= width) expect(fitted).toBe(text)
    }),
  )
})

const columns = [
  { title: 'Path', shrinks: true },
  { title: 'Bytes', align: 'right' as const },
  { title: 'State' },
]

test('a table: columns as wide as needed, numbers to the right, no blanks at line ends', () => {
  const rows = [
    ['a.txt', '12', 'ready'],
    ['報告.pdf', '1234567', { text: 'refused', style: (text: string) => `<${text}>` }],
  ]
  expect(tableLines(columns, rows, Number.POSITIVE_INFINITY)).toEqual([
    'Path        Bytes  State',
    'a.txt          12  ready',
    '報告.pdf  1234567  <refused>',
  ])
})

test('in a narrow window only the flexible columns shrink', () => {
  const lines = tableLines(columns, [['folder/'.repeat(20), '1234567', 'ready']], 40)
  expect(lines[1]).toMatch(/^folder\/.*….*folder\/ {2}1234567 {2}ready$/)
  expect(textWidth(lines[1]!)).toBe(40)
})

test('a name in a cell cannot steer the terminal', () => {
  expect(tableLines([{ title: '' }], [['a\u001b[2J\nb']], 80)).toEqual(['a\\x1b[2J\\nb'])
})
