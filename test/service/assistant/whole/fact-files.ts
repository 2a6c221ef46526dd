import { type Client, md5Of, put, until } from '../../fixture.ts'

export interface FactFile {
  name: string
  /** The line that an answer must repeat. */
  fact: string
  /** A word that only this file has, and no answer repeats. */
  body: string
  text: string
}

const endings = ['txt', 'md', 'csv', 'html', 'log', 'tsv', 'json', 'yml', 'rst', 'tex']
const filler = 'The parties have agreed on a delivery in the usual packaging, free on board. '

/** Files of at most 1 kB, of ten types, each with one fact. */
export function factFiles(count: number, chars = 600): FactFile[] {
  return Array.from({ length: count }, (_, at) => {
    const number = String(at).padStart(4, '0')
    const name = `offer-${at}.${endings[at % endings.length]}`
    const fact = `FACT-${number} ${name}: the price is ${at * 7 + 5} crowns`
    const body = `BODY${number}`
    const text = `${body} ${filler.repeat(Math.ceil(chars / filler.length))}`.slice(0, chars)
    return { name, fact, body, text: `${text}\n\n${fact}\n` }
  })
}

/** Uploads files, several at once. Returns their ids in the same order. */
export async function uploadAll(
  client: Client,
  files: readonly Pick<FactFile, 'name' | 'text'>[],
): Promise<string[]> {
  const ids: string[] = []
  for (let from = 0; from < files.length; from += 20) {
    const some = files.slice(from, from + 20).map(async ({ name, text }) => {
      const slot = await client.slot({ filename: name, mime_type: 'text/plain', md5: md5Of(text) })
      await put(slot, text)
      await client.post(`/v1/assets/${slot.asset_id}/complete`)
      return slot.asset_id
    })
    ids.push(...(await Promise.all(some)))
  }
  await until(() => ids.every((id) => client.statusOf(id) === 'ready'), 'all files are ready')
  return ids
}
