import { expect, test } from 'vitest'
import type { Change } from '../../../src/domain/run.ts'
import { netChanges } from '../../../src/prompts/plan/net-changes.ts'

type Step = [path: string, was: number | undefined, content: number | undefined]

const change = ([name, was, content]: Step): Change => {
  const [folder, path] = name.split('/') as [string, string]
  return { folder, path, was, content }
}

const netOf = (...steps: Step[]) =>
  netChanges(steps.map(change)).map(
    ({ kind, name, from }) => `${kind} ${name}${from === undefined ? '' : ` was ${from}`}`,
  )

const none = undefined
const cases: Record<string, [steps: Step[], net: string[]]> = {
  'a new file is no change': [[['in/a', none, 1]], []],
  'an edit': [[['in/a', 1, 2]], ['changed in/a']],
  'several edits are one': [
    [
      ['in/a', 1, 2],
      ['in/a', 2, 3],
    ],
    ['changed in/a'],
  ],
  'an edit and back': [
    [
      ['in/a', 1, 2],
      ['in/a', 2, 1],
    ],
    [],
  ],
  'a deletion': [[['in/a', 1, none]], ['gone in/a']],
  'an edit and then a deletion': [
    [
      ['in/a', 1, 2],
      ['in/a', 2, none],
    ],
    ['gone in/a'],
  ],
  'a deletion and back with the same bytes': [
    [
      ['in/a', 1, none],
      ['in/a', none, 1],
    ],
    [],
  ],
  'a deletion and back with other bytes': [
    [
      ['in/a', 1, none],
      ['in/a', none, 2],
    ],
    ['changed in/a'],
  ],
  'a file that came and went': [
    [
      ['in/a', none, 1],
      ['in/a', 1, none],
    ],
    [],
  ],
  'a move, seen at the old place first': [
    [
      ['in/a', 1, none],
      ['in/b', none, 1],
    ],
    ['moved in/b was in/a'],
  ],
  'a move to another folder, seen at the new place first': [
    [
      ['out/a', none, 1],
      ['in/a', 1, none],
    ],
    ['moved out/a was in/a'],
  ],
  'a move in two steps': [
    [
      ['in/a', 1, none],
      ['in/b', none, 1],
      ['in/b', 1, none],
      ['in/c', none, 1],
    ],
    ['moved in/c was in/a'],
  ],
  'a new file that moved is new': [
    [
      ['in/a', none, 1],
      ['in/a', 1, none],
      ['in/b', none, 1],
    ],
    [],
  ],
  'a move and then an edit': [
    [
      ['in/a', 1, none],
      ['in/b', none, 1],
      ['in/b', 1, 2],
    ],
    ['changed in/b was in/a'],
  ],
  'an edit and then a move': [
    [
      ['in/a', 1, 2],
      ['in/a', 2, none],
      ['in/b', none, 2],
    ],
    ['changed in/b was in/a'],
  ],
  'a deletion beside a file that has the bytes for longer': [
    [
      ['in/b', 5, 1],
      ['in/a', 1, none],
    ],
    ['changed in/b', 'gone in/a'],
  ],
  'two copies, of which one moved': [
    [
      ['in/a', 1, none],
      ['in/b', 1, none],
      ['in/c', none, 1],
    ],
    ['moved in/c was in/a', 'gone in/b'],
  ],
  'two files that changed places': [
    [
      ['in/a', 1, 2],
      ['in/b', 2, 1],
    ],
    ['changed in/a', 'changed in/b'],
  ],
  'equal paths in two folders': [
    [
      ['in/a', 1, none],
      ['out/a', 2, 3],
    ],
    ['gone in/a', 'changed out/a'],
  ],
}

test.each(Object.entries(cases))('%s', (_what, [steps, net]) => {
  expect(netOf(...steps)).toEqual(net)
})

test('a file that is at its path again is not gone, also before its bytes are known', () => {
  expect(netChanges([{ ...change(['in/a', 1, none]), is_there: true }])).toEqual([])
})
