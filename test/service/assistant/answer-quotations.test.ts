import { expect, test } from 'vitest'
import { start } from '../fixture.ts'
import { modelFile } from './assistant-file.ts'
import { completion, outsideServer } from './outside-server.ts'
import { factFiles, uploadAll } from './whole/fact-files.ts'
import { factsIn, promptOf } from './whole/fact-model.ts'
import { readAll } from './whole/rig.ts'

const quoted = /"[^"]{20,}"/g

/** Asks a model that quotes each fact beside its file's name, as `quote` changes it. */
async function quotedBy(quote: (text: string) => string, count: number) {
  const model = await outsideServer((response, received) => {
    const lines = factsIn(promptOf(received)).flatMap((line) => {
      const [, name, text] = /^FACT-\d{4} (\S+): (.+)$/.exec(line) ?? []
      return name && text ? [`${name} says "${quote(text)}".`] : []
    })
    // Notes repeat the facts, and only the closing answer quotes them.
    const is_closing = promptOf(received).includes('Notes 1') || lines.length === count
    const notes = factsIn(promptOf(received)).join('\n')
    completion(is_closing ? lines.join('\n\n') : notes)(response, received)
  })
  const client = await start({ assistant_config: modelFile(model.origin) })
  const ids = await uploadAll(client, factFiles(count, 200))
  return readAll(client, ids)
}

test('C-27 of 100 quotations with other spacing all stay', async () => {
  const { response, warnings } = await quotedBy((text) => text.replaceAll(' ', '  '), 100)
  expect(response.match(quoted)).toHaveLength(100)
  expect([response.includes('not found in'), warnings]).toEqual([false, undefined])
})

test('C-27 of 100 invented quotations none stays, and the answer says how many', async () => {
  let count = 0
  const invent = () => `the parties agree on a penalty of ${++count},000 crowns`
  const { response, warnings } = await quotedBy(invent, 100)
  expect(response.match(quoted)).toBeNull()
  expect(response.match(/\(not found in offer-\d+\.\w+\)/g)).toHaveLength(100)
  const humane = expect.stringContaining('100 quotations are not in the files that they name')
  expect(warnings).toEqual([{ code: 'quotations_not_found', humane }])
})
