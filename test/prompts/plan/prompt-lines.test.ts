import { expect, test } from 'vitest'
import {
  closing_words,
  fileList,
  hasAllAnswers,
  questionIn,
  requestIn,
  runLine,
  withAnswers,
} from '../../../src/base/text/prompt-lines.ts'

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
  [
    'the answers to the parts go',
    withAnswers(`${closing_words}\n\nWhich gasket?\n\n${line}`, ['One.', 'Two.'], 1_000),
    0,
    'Which gasket?',
  ],
])('%s', (_, prompt, count, request) => {
  expect(requestIn(prompt, count)).toBe(request)
})

const closing = `${closing_words}\n\nWhich gasket?\n\n${line}`
const fixed = withAnswers(closing, ['', '', ''], 10_000).length

test.each<[string, number[], number, number[]]>([
  ['all fit', [10, 2_000, 30], 2_040, []],
  ['to the last character', [500, 500, 500], 1_500, []],
  ['the longest is cut, the others are whole', [10, 2_000, 30], 1_000, [2]],
  ['two share what a short one leaves', [100, 2_000, 1_500], 1_000, [2, 3]],
  ['no room at all', [10, 20, 30], 0, [1, 2, 3]],
])('C-28 answers in a closing question: %s', (_, lengths, max_chars, cut) => {
  const answers = lengths.map((length, part) => 'xyz'[part]!.repeat(length))
  const max_length = fixed + max_chars
  const found = withAnswers(closing, answers, max_length)
  if (max_chars > 0) expect(found.length).toBeLessThanOrEqual(max_length)
  const parts = answers.flatMap((answer, at) =>
    found.includes(`\n\n${answer}\n\n`) ? [] : [at + 1],
  )
  expect(parts).toEqual(cut)
  expect(hasAllAnswers(found)).toBe(cut.length === 0)
  expect(found.endsWith(`\n\n${line}`)).toBe(true)
  expect(withAnswers(found, answers, max_length)).toEqual(found)
})

test('a question of a user has no answers to parts', () => {
  expect(hasAllAnswers('What?\n\nThe answers to the parts:\n\nnone')).toBe(false)
})

test.each<[string, string, number, string]>([
  ['a question of a user', ' Since\n 2026-11-23? ', 0, 'Since 2026-11-23?'],
  ['the line of the run goes', `Which gasket fits?\n\n${line}`, 2, 'Which gasket fits?'],
  [
    'a list of Sluice is a mark',
    `2 files: ${files}Be brief.\n\n${line}`,
    2,
    '2 files: … Be brief.',
  ],
  ['folders and numbers stay', `2 in office? ${files}\n\n${line}`, 2, '2 in office?'],
  [
    'times have no seconds',
    `New since 2026-11-16T08:00:05.123+01:00?\n\n${line}`,
    0,
    'New since 2026-11-16 08:00?',
  ],
  [
    'a list of the user stays',
    `Compare\n${own_list}\nwith${files}\n\n${line}`,
    2,
    `Compare ${own_list.replaceAll('\n', ' ')} with …`,
  ],
])('for people: %s', (_, prompt, count, question) => {
  expect(questionIn(prompt, count)).toBe(question)
})
