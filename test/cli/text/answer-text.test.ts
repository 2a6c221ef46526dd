import { expect, test } from 'vitest'
import { textWidth } from '../../../src/base/text/format.ts'
import { printMarkdown } from '../../../src/cli/text/answer-text.ts'
import { createTerminal } from '../../../src/cli/text/terminal.ts'

function shown(markdown: string, columns = 80, isTTY = true): string[] {
  let out = ''
  const stream = {
    columns,
    isTTY,
    write: (text: string) => {
      out += text
    },
  }
  printMarkdown(createTerminal({ stdout: stream, stderr: stream, no_color: true }), markdown)
  return out.trimEnd().split('\n')
}

test.each([
  ['a heading', '## What is **new**', ['What is new']],
  [
    'strong and emphasised words',
    '**Two** files, *both* late, __all__ read',
    ['Two files, both late, all read'],
  ],
  [
    'names with underscores and products',
    'see my_file_name.txt: 2 * 3 * 4',
    ['see my_file_name.txt: 2 * 3 * 4'],
  ],
  [
    'a link',
    'see [the plan](https://example.org/plan) now',
    ['see the plan (https://example.org/plan) now'],
  ],
  ['an address', '<https://example.org/a_b>', ['https://example.org/a_b']],
  ['a link that no browser may follow', '[x](javascript:alert)', ['[x](javascript:alert)']],
  ['an image', '![map](https://example.org/m.png)', ['!map (https://example.org/m.png)']],
  ['code', 'run `sluice **sync**` now', ['run sluice **sync** now']],
  ['escaped marks', '5 \\* 6 and \\_x\\_ \\& y', ['5 * 6 and _x_ & y']],
  ['a name with what looks like an entity', '**docs/<b>&amp;"x.txt**', ['docs/<b>&amp;"x.txt']],
  ['a list', '* one\n+ **two**\n  - three\n1. four', ['- one', '- two', '  - three', '1. four']],
  ['a quote', '> The *lantern* festival', ['> The lantern festival']],
  ['a block of code', 'a\n```sh\nls **x** # y\n```\nb', ['a', '  ls **x** # y', 'b']],
  ['empty rows', '# T\n\ntext\n', ['T', '', 'text']],
  ['a table', '| a | **b** |', ['| a | b |']],
])('on a terminal, Markdown is text: %s', (_what, markdown, rows) => {
  expect(shown(markdown)).toEqual(rows)
})

test('words stay whole when a line is wrapped, also long ones and wide characters', () => {
  const name = 'a-very-long-name-that-is-wider-than-the-window.txt'
  const rows = shown(`- The file **${name}** is here, and 报告 年度 总结 文件 are there`, 30)
  expect(rows.join(' ').replaceAll(/ +/g, ' ')).toBe(
    `- The file ${name} is here, and 报告 年度 总结 文件 are there`,
  )
  for (const row of rows.filter((row) => !row.includes(name)))
    expect(textWidth(row)).toBeLessThanOrEqual(30)
  // Further lines stand below the text of their point, and those of a paragraph below its begin.
  expect(shown('one two three four five six', 24)).toEqual(['one two three four five', 'six'])
  expect(rows.slice(1).every((row) => row.startsWith('  '))).toBe(true)
})

test('elsewhere it stays Markdown, and nowhere it steers the terminal', () => {
  expect(shown('## A **b**\n- c', 80, false)).toEqual(['## A **b**', '- c'])
  expect(shown('a\u001b[31m *b*', 80, true)).toEqual(['a\\x1b[31m b'])
  expect(shown('`\u001b[31m`', 80, false)).toEqual(['`\\x1b[31m`'])
})
