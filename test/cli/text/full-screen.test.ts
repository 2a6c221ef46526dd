import { expect, onTestFinished, test } from 'vitest'
import { textWidth } from '../../../src/base/text/format.ts'
import { createFullScreen } from '../../../src/cli/text/full-screen.ts'
import { createTerminal } from '../../../src/cli/text/terminal.ts'
import type { Line } from '../../../src/status/text/lines.ts'

const begin = '\u001b[?1049h\u001b[?25l\u001b[?7l'
const end = '\u001b[?7h\u001b[?25h\u001b[?1049l'

function openScreen(size: { columns: number; rows: number }) {
  let written = ''
  let resized = () => {}
  const stdout = {
    ...size,
    isTTY: true,
    write(text: string) {
      written += text
    },
    on: (_event: string, listener: () => void) => {
      resized = listener
    },
  }
  const terminal = createTerminal({ stdout, stderr: stdout, no_color: true })
  let shown: readonly Line[] | ((width: number) => readonly Line[]) = []
  const full = createFullScreen(terminal, (width) =>
    typeof shown === 'function' ? shown(width) : shown,
  )
  onTestFinished(() => full.close())
  return {
    screen: {
      close: () => full.close(),
      show(lines: (width: number) => readonly Line[]) {
        shown = lines
        full.paint()
      },
    },
    resize(to: { columns: number; rows: number }) {
      Object.assign(stdout, to)
      resized()
    },
    taken() {
      const text = written
      written = ''
      return text
    },
  }
}

const plain = (text: string): Line => ({ tone: 'plain', text })
const rowsOf = (written: string) =>
  written
    .slice(written.indexOf('\u001b[H') + 3)
    .replaceAll('\u001b[2K', '')
    .split('\n')

test('lines that fit fill the window with blank rows, and no line break scrolls it', () => {
  const { screen, taken } = openScreen({ columns: 20, rows: 4 })
  screen.show(() => [plain('one'), plain('two')])
  const first = taken()
  expect(first.startsWith(`${begin}\u001b[H`)).toBe(true)
  expect(rowsOf(first)).toEqual(['one', 'two', '', ''])
  screen.show(() => [plain('three')])
  const second = taken()
  expect(second).not.toContain(begin)
  expect(rowsOf(second)).toEqual(['three', '', '', ''])
})

test('more lines than rows are cut, the first ones stay, and the last row says so', () => {
  const { screen, taken } = openScreen({ columns: 80, rows: 3 })
  screen.show(() => Array.from({ length: 12 }, (_, at) => plain(`line ${at}`)))
  expect(rowsOf(taken())).toEqual([
    'line 0',
    'line 1',
    '… 10 more lines: sluice status (Ctrl-C ends this)',
  ])
})

test('a line as wide as the window is cut by columns, also of wide characters', () => {
  const { screen, taken } = openScreen({ columns: 10, rows: 3 })
  screen.show(() => [plain('0123456789'), plain('01234567890'), plain('报告年度总结文件')])
  const rows = rowsOf(taken())
  expect(rows[0]).toBe('0123456789')
  for (const row of rows) expect(textWidth(row)).toBeLessThanOrEqual(10)
})

test('a window of another size is painted again at once, from lines for its width', () => {
  const { screen, resize, taken } = openScreen({ columns: 80, rows: 5 })
  screen.show((width) => [plain(`width ${width}`)])
  taken()
  resize({ columns: 30, rows: 2 })
  expect(rowsOf(taken())).toEqual(['width 30', ''])
  screen.close()
  expect(taken()).toBe(end)
  resize({ columns: 40, rows: 3 })
  expect(taken()).toBe('')
})

test('the end brings the terminal back, once, and nothing was shown without a line', () => {
  const { screen, taken } = openScreen({ columns: 80, rows: 5 })
  screen.close()
  expect(taken()).toBe('')
  screen.show(() => [])
  taken()
  screen.close()
  screen.close()
  expect(taken()).toBe(end)
})
