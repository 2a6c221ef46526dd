import { expect, test } from 'vitest'
import { everydayQuestion, periodOf } from '../../../src/service/assistant/everyday.ts'
import { overviewText, type ScopeFacts } from '../../../src/service/assistant/overview.ts'

test.each<[string, string | undefined]>([
  ['What is new?', 'new en'],
  ["What's new this week?", 'new en week'],
  ['Was ist neu?', 'new de'],
  ['Gibt es etwas Neues?', 'new de'],
  ['Which files came today?', 'new en today'],
  ['Welche Dateien kamen gestern?', 'new de yesterday'],
  ['How many contracts are there?', 'count en contracts'],
  ['Wie viele Verträge gibt es?', 'count de verträge'],
  ['How many files are there?', 'count en'],
  ['list the files', 'list en'],
  ['Zeig mir alle Dateien', 'list de'],
  ['Which documents do you have?', 'list en'],
  ['Welche Dateien gibt es?', 'list de'],
  ['Zeig mir die letzten Protokolle.', 'list de protokolle'],
  ['What is the latest invoice?', 'list en invoice'],
  ['Welche Verträge haben wir?', 'list de verträge'],
  ['List all contracts', 'list en contracts'],
  ['Show me the last three minutes', 'list en minutes'],
  ['Wie viele Dateien sind es insgesamt und welche Arten?', 'count de'],
  ['What kinds of files are there?', 'count en'],
  ['What came in last month?', 'new en last_month'],
  ['Was kam letzte Woche an?', undefined],
  ['Welche Dateien kamen letzte Woche an?', 'new de last_week'],
  ['What is this collection about?', 'about en'],
  ['What is in this folder?', 'about en'],
  ['Was ist hier drin?', 'about de'],
  ['What is it?', 'about en'],
  ['What is in the contract?', undefined],
  ['Show me the price of oak', undefined],
  ['Worum geht es?', 'about de'],
  ['What is this about?', 'about en'],
  ['Summarise the documents', 'about en'],
  ['What does the contract say about the rent?', undefined],
  ['Worum geht es in der Klausel zur Haftung?', undefined],
  ['Wann wurde die neue Pumpe geliefert?', undefined],
])('%s is %s', (question, expected) => {
  const found = everydayQuestion(question)
  const words = found && [found.kind, found.language, found.span, ...found.subject]
  expect(words?.filter(Boolean).join(' ')).toBe(expected)
})

const now_ms = new Date(2026, 2, 1, 12, 30).getTime()

test.each([
  ['today', '1 March 2026', '1 March 2026'],
  ['yesterday', '28 February 2026', '28 February 2026'],
  ['past_week', '23 February 2026', '1 March 2026'],
  // A Sunday belongs to the week that began six days before.
  ['week', '23 February 2026', '1 March 2026'],
  ['last_week', '16 February 2026', '22 February 2026'],
  ['month', '1 March 2026', '1 March 2026'],
  ['last_month', '1 February 2026', '28 February 2026'],
] as const)('%s is from %s to %s', (span, from, to) => {
  const day = (at_ms: number) =>
    new Date(at_ms).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
  const { from_ms, to_ms } = periodOf(span, now_ms)
  expect([day(from_ms), day(to_ms)]).toEqual([from, to])
  expect(new Date(from_ms).getHours()).toBe(0)
})

const facts: ScopeFacts = { files: 48, failed: 0, names: [], listed: [], is_by_name: false }
const text = (question: string, found: Partial<ScopeFacts>) =>
  overviewText(everydayQuestion(question)!, { ...facts, ...found })

test('files with the words of the question in their names are counted, and they alone are listed', () => {
  const listed = [{ name: 'contracts/a.pdf', time: '08:15' }]
  expect(text('How many contracts are there?', { named: 12, listed, is_by_name: true })).toBe(
    '48 files are there. 12 of them have “contracts” in the name or folder.\n\n' +
      'The latest by the dates in their names:\n\n- contracts/a.pdf (08:15)\n… and 11 more',
  )
  expect(text('Zeig mir alle Verträge', { named: 1, failed: 2, listed })).toBe(
    '48 Dateien sind da. 2 weitere Dateien können nicht gelesen werden. 1 davon hat “verträge” im Namen oder Ordner.\n\n' +
      'Zuletzt angekommen:\n\n- contracts/a.pdf (08:15)',
  )
})

test('the days of the span are named', () => {
  const recent = { files: 2, from: '2026-02-23', to: '2026-03-01' }
  expect(text('Which files came this week?', { recent })).toBe(
    '48 files are there. 2 of them came in from 2026-02-23 to 2026-03-01.',
  )
  const today = { files: 1, from: '2026-03-01', to: '2026-03-01' }
  expect(text('Was ist heute neu?', { recent: today })).toBe(
    '48 Dateien sind da. 1 davon kam am 2026-03-01.',
  )
})

test('kinds and folders are counted, folders in folders where few are at the top', () => {
  const names = ['docs/faq/a.html', 'docs/faq/b.HTML', 'docs/policy/c.txt', 'firma/d', 'e.pdf']
  expect(text('What is this about?', { names: names.slice(0, 4) })).toBe(
    '48 files are there.\n\nBy kind: 2 html, 1 txt, 1 –.\n\nBy folder: 2 docs/faq, 1 docs/policy, 1 firma.',
  )
  expect(text('What is this about?', { names })).toContain(
    'By folder: 3 docs, 1 firma, 1 no folder.',
  )
})
