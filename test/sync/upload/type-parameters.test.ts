import { expect, test } from 'vitest'
import type { Outcome } from '../../../src/remote/outcome.ts'
import { TypeParameters } from '../../../src/sync/upload/type-parameters.ts'

const project = 'project_0123456789abcdefghij'
const old_text = 'text/plain; charset=cp850'

/** Creates the types one after another, and says which types the service was asked for. */
async function asked(
  types: readonly string[],
  answer: (mime_type: string) => 'content' | 'later' | 'ok',
): Promise<string[][]> {
  const parameters = new TypeParameters()
  const all: string[][] = []
  for (const type of types) {
    const calls: string[] = []
    await parameters.create(project, type, async (mime_type): Promise<Outcome<string>> => {
      calls.push(mime_type)
      const about = answer(mime_type)
      if (about === 'ok') return { ok: true, value: mime_type }
      return { ok: false, failure: { about, call: 'create', message: 'no' } }
    })
    all.push(calls)
  }
  return all
}

const isBare = (mime_type: string) => !mime_type.includes(';')

test('a service that takes the charset gets it', async () =>
  expect(await asked([old_text, 'text/plain'], () => 'ok')).toEqual([[old_text], ['text/plain']]))

test('a service that refuses it gets the type without, and from then on at once', async () =>
  expect(await asked([old_text, old_text], (type) => (isBare(type) ? 'ok' : 'content'))).toEqual([
    [old_text, 'text/plain'],
    ['text/plain'],
  ]))

test('a file that is refused without it, too, says nothing about it', async () => {
  const both = [old_text, 'text/plain']
  expect(await asked([old_text, old_text], () => 'content')).toEqual([both, both])
})

test('a fault of another kind is no refusal', async () =>
  expect(await asked([old_text], () => 'later')).toEqual([[old_text]]))
