import { expect, test } from 'vitest'
import { type Client, md5Of, put, start, until } from '../fixture.ts'

const towns =
  'Lisbon Bergen Tartu Ghent Graz Brno Pécs Turku Vigo Bari Galway Umeå Łódź Split Kaunas Odense Sibiu Malmö Cádiz Lviv'
const subjects = towns.split(' ').map((town, at) => ({
  town,
  sentence: `The archive of ${town} is kept in room ${700 + at * 13} by a clerk named ${town}sen.`,
  question: `In which room is the archive of ${town} kept, and who is the clerk?`,
}))

const filler =
  'report meeting budget supplier delivery quarter archive room clerk town schedule contract review invoice'.split(
    ' ',
  )

/**
 * Text that is similar everywhere. A linear congruential generator makes it, so that a failure can
 * be repeated.
 */
function textOf(seed: number, planted: string | undefined): string {
  let state = seed + 1
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
  const paragraphs = Array.from({ length: 12 }, () =>
    Array.from({ length: 6 }, () => {
      const words = Array.from({ length: 8 + next(8) }, () => filler[next(filler.length)]!)
      return `The ${words.join(' ')}.`
    }).join(' '),
  )
  if (planted !== undefined) paragraphs.splice(next(12), 0, planted)
  return paragraphs.join('\n\n')
}

/** 60 documents; every third one holds a sentence that answers one question. */
async function sixtyDocuments(client: Client): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  await Promise.all(
    Array.from({ length: 60 }, async (_, at) => {
      const filename = `archive/document-${at}.md`
      const bytes = textOf(at, at % 3 === 0 ? subjects[at / 3]!.sentence : undefined)
      const slot = await client.slot({ filename, mime_type: 'text/markdown', md5: md5Of(bytes) })
      await put(slot, bytes)
      await client.post(`/v1/assets/${slot.asset_id}/complete`)
      ids.set(filename, slot.asset_id)
    }),
  )
  await until(() => [...ids.values()].every((id) => client.statusOf(id) === 'ready'))
  return ids
}

test('C-16 20 questions over 60 documents: each answer quotes the planted sentence with its file, and never one out of scope', async () => {
  const client = await start()
  const ids = await sixtyDocuments(client)
  let found = 0
  let leaked = 0
  for (const [at, { sentence, question }] of subjects.entries()) {
    const filename = `archive/document-${at * 3}.md`
    const { response } = await client.ask(question)
    const quotes = response.split('\n\n**')
    if (quotes.some((quote) => quote.includes(filename) && quote.includes(sentence))) found++
    const asset_ids = [...ids].filter(([name]) => name !== filename).map(([, id]) => id)
    const without = (await client.ask(question, { scope: { asset_ids } })).response
    if (without.includes(sentence) || without.includes(`${filename}*`)) leaked++
  }
  console.log(
    `planted sentences quoted with their file: ${found} of ${subjects.length}; out of scope: ${leaked}`,
  )
  expect(found).toBeGreaterThanOrEqual(18)
  expect(leaked).toBe(0)
})
