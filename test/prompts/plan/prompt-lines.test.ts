import { expect, test } from 'vitest'
import { closing_words, fileList, requestIn, runLine } from '../../../src/base/text/prompt-lines.ts'

const line = runLine('digest', Date.UTC(2026, 10, 23, 7), 'Europe/Berlin')
const files = fileList(['office/plan a.pdf', 'office/b.xlsx'], 2)
const own_list = '- finance/plan.xlsx\n- finance/actual.xlsx\n- finance/old.xlsx'

test.each<[string, string, number, string]>([
  [
    'a question of a user stays as it is',
    'Since 2026-11-23?\n- a/b.txt',
    0,
    'Since 2026-11-23?\n- a/b.txt',
  ],
  ['the line of the run goes', `Which gasket fits?\n\n${line}`, 2, 'Which gasket fits?'],
  ['so does the list of files', `Which gasket?${files}\n\n${line}`, 2, 'Which gasket?'],
  [
    'so do the names of its folders',
    `Which of office, officer?${files}\n\n${line}`,
    2,
    'Which of , officer?',
  ],
  [
    'a list that is cut',
    `Which?${fileList(['o/a.md', 'o/b.md', 'o/c.md'], 1)}\n\n${line}`,
    3,
    'Which?',
  ],
  [
    'times of Sluice go',
    `New since 2026-11-16T08:00+01:00, on 2026-11-23\n\n${line}`,
    0,
    'New since  , on',
  ],
  ['a date of the user stays', `What of 2024-03-12?\n\n${line}`, 0, 'What of 2024-03-12?'],
  [
    'demands in a list stay',
    `Say:\n- prices of gaskets\n- the dates\n${files}\n${line}`,
    2,
    'Say:\n- prices of gaskets\n- the dates',
  ],
  [
    'a list of files of the user stays',
    `Compare\n${own_list}\nwith${files}\n\n${line}`,
    2,
    `Compare\n${own_list}\nwith`,
  ],
  [
    'the words of a closing turn go',
    `${closing_words}\n\nWhich gasket?\n\n${line} turn 3 of 3`,
    0,
    'Which gasket?',
  ],
])('%s', (_, prompt, count, request) => {
  expect(requestIn(prompt, count)).toBe(request)
})
