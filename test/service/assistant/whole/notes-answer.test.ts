import { expect, test } from 'vitest'
import { notesSources } from '../../../../src/service/assistant/whole/notes-answer.ts'

test('the places of a file stand in the order of its text, whichever call was answered first', () => {
  const piece = (from: number, to: number) => {
    return { asset: 1, from, to, of: 90, place: `characters ${from + 1} to ${to}` }
  }
  const files = [{ asset: 1, asset_id: 'asset_1', name: 'a.md' }]
  const reason = { why: new Map<number, string>(), rest: 'past the limit' }
  const [source] = notesSources(files, [piece(60, 90), piece(0, 30)], reason)
  expect(source).toMatchObject({
    read: 'part',
    places: ['characters 1 to 30', 'characters 61 to 90'],
    why: 'past the limit',
  })
})
