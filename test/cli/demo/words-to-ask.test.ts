import { expect, test } from 'vitest'
import { wordsToAsk } from '../../../src/cli/demo/words-to-ask.ts'

test.each<[string, string[], string[]]>([
  ['no passage', [], []],
  ['nothing but marks', ['--- ***'], []],
  ['short words', ['The boat is blue.'], ['The', 'boat', 'blue']],
  ['numbers', ['7, 12'], ['7', '12']],
  [
    'the longest words of the longest passage, in the order of the text',
    ['The harbour pays.', 'The council decided that the greenhouse is heated by the biogas plant.'],
    ['council', 'decided', 'greenhouse'],
  ],
  [
    'no names of variables, and nothing that is too long',
    ['RefreshOnReload=x base_url donaudampfschifffahrtsgesellschaft lantern'],
    ['x', 'lantern'],
  ],
  [
    'letters with marks',
    ['Das Schiff fährt über die Ältere Brücke'],
    ['Schiff', 'Ältere', 'Brücke'],
  ],
])('%s', (_what, passages, words) => {
  expect(wordsToAsk(passages)).toEqual(words)
})
