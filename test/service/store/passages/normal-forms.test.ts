import { expect, test } from 'vitest'
import {
  formsAsked,
  formsIn,
  lastDateIn,
  nameWords,
} from '../../../../src/service/store/passages/normal-forms.ts'

test.each([
  ['2024-03-12', 'd20240312'],
  ['vom 12.3.2024', 'd20240312'],
  ['am 12. 03. 24', 'd20240312'],
  ['12. März 2024', 'd20240312'],
  ['12th of March 2024', 'd20240312'],
  ['March 12, 2024', 'd20240312'],
  ['contracts of March 2024', 'm202403'],
  ['im Mrz. 2024', 'm202403'],
  ['3/2024', 'm202403'],
  ['2024-03', 'm202403'],
  ['the budget of 2024', 'y2024'],
  ['1.234,50 Euro', 'n1234d5'],
  ['1,234.5', 'n1234d5'],
  ["12'500", 'n12500'],
  ['version 1.2.3', ''],
  ['call +44 20 7946 0958', 'n7946 n0958 t9460958'],
  ['DE89 3704 0044 0532 0130 00', 'n3704 n0044 n0532 n0130 t2013000'],
  ['DE89370400440532013000', 't2013000'],
  ['31.2024.5', ''],
])('a question with %s asks for %s', (text, forms) => {
  expect(formsAsked(text).join(' ')).toBe(forms)
})

test.each([
  ['invoice_20240312.pdf', 'd20240312 m202403 y2024 n20240312 invoice20240312'],
  ['12/03/2024', 'd20240312 m202403 y2024 d20241203 m202412'],
  ['1.234', 'n1234 n1d234'],
  ['the invoice RE-2026-103', 're2026103'],
  ['no number', ''],
])('a passage with %s has %s', (text, forms) => {
  expect(formsIn(text).join(' ')).toBe(forms)
})

test.each([
  ['Protokoll 03.12.2024.txt', '20241203'],
  ['from 2023-10-19 to 2024-01.md', '202401'],
  ['budget 2025.xlsx', '2025'],
  ['letter 12.txt', ''],
])('the last date in %s is %s', (name, date) => {
  expect(lastDateIn(name)).toBe(date)
})

test('a name is found as it is written and in its parts', () => {
  expect(nameWords('archive/BudgetPlan2024_v2.xlsx')).toBe(
    'archive BudgetPlan2024 v2 xlsx archive Budget Plan 2024 v 2 xlsx BudgetPlan2024v2',
  )
  expect(nameWords('budget-plan.txt')).toBe('budget plan txt budgetplan')
})
