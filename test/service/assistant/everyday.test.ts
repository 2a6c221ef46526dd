import { expect, test } from 'vitest'
import { everydayQuestion, overviewText } from '../../../src/service/assistant/everyday.ts'

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
  ['Worum geht es?', 'about de'],
  ['What is this about?', 'about en'],
  ['Summarise the documents', 'about en'],
  ['What does the contract say about the rent?', undefined],
  ['Worum geht es in der Klausel zur Haftung?', undefined],
  ['Wann wurde die neue Pumpe geliefert?', undefined],
])('%s is %s', (question, expected) => {
  const found = everydayQuestion(question)
  const words = found && [found.kind, found.language, found.since, ...found.subject]
  expect(words?.filter(Boolean).join(' ')).toBe(expected)
})

test('counts and the newest names, in the language of the question', () => {
  const newest = [{ name: 'a.pdf', time: '08:15' }]
  const text = (question: string) =>
    overviewText(everydayQuestion(question)!, { files: 48, recent: 2, named: 1, newest })
  expect(text('How many contracts came today?')).toBe(
    '48 files are there. 2 of them came in today. 1 of them has contracts in the name. The newest:\n\n- a.pdf (08:15)',
  )
  expect(text('Was ist heute neu?')).toContain('48 Dateien sind da. 2 davon kamen heute.')
})
