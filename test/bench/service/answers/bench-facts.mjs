import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServer } from '../../rig/measured-process.mjs'
import { FactModel } from './fact-model.mjs'
import { ServiceClient } from './service-client.mjs'

const local_service = new URL('../../rig/local-service.mjs', new URL('.', import.meta.url))
const files = 100
const file_chars = 600
const endings = ['txt', 'md', 'csv', 'html', 'log', 'tsv', 'json', 'yml', 'rst', 'tex']
const filler = 'The parties have agreed on a delivery in the usual packaging, free on board. '
/** `src/contract/every-file-skill.ts`. */
const every_file = 'sluice-read-every-file'
/** How a question is asked, by the name of its row. */
const ways = {
  'search, fast': { intelligence: 'fast' },
  'search, research': { intelligence: 'research' },
  'every file, fast': { intelligence: 'fast', skills: [every_file] },
}

/**
 * What of a hundred small files, each with one fact, reaches an answer of a model that knows only
 * what stands in its prompt: the facts, and what they cost in calls, characters and seconds.
 * @param {string} work an empty folder
 */
export async function benchFacts(work) {
  const model = await FactModel.start()
  const server = await startServer(local_service, [join(work, 'facts'), assistantFile(work, model)])
  const client = new ServiceClient(server.ready)
  try {
    const taken = await client.takeIn(server.ready.project_id, factFolder(work))
    const asset_ids = taken.map(({ asset_id }) => asset_id)
    const rows = []
    for (const [way, asked] of Object.entries(ways)) {
      model.forget()
      const began_ms = performance.now()
      const prompt = 'Summarise what the files say.'
      const { response } = await client.answer({ prompt, ...asked, scope: { asset_ids } })
      const seconds = Math.round(performance.now() - began_ms) / 1_000
      const facts = new Set(response.match(/FACT-\d{4}/g)).size
      rows.push({ way, files, facts, calls: model.calls, chars: model.chars, seconds })
    }
    return rows
  } finally {
    await client.close()
    await server.stop()
    await model.close()
  }
}

function factFolder(work) {
  const folder = join(work, 'fact-files')
  mkdirSync(folder)
  for (let at = 0; at < files; at++) {
    const name = `offer-${at}.${endings[at % endings.length]}`
    const fact = `FACT-${String(at).padStart(4, '0')} ${name}: the price is ${at * 7 + 5} crowns`
    const text = filler.repeat(Math.ceil(file_chars / filler.length)).slice(0, file_chars)
    writeFileSync(join(folder, name), `${text}\n\n${fact}\n`)
  }
  return folder
}

/** The model refuses prompts longer than 24,000 characters, and the service is told a little less. */
function assistantFile(work, model) {
  writeFileSync(join(work, 'key'), 'sk-bench\n', { mode: 0o600 })
  const file = join(work, 'assistant.json')
  const model_classes = {
    small: [{ provider: 'openai', model: 'small' }],
    large: [{ provider: 'openai', model: 'large' }],
  }
  const host = { base_url: `${model.origin}/v1/`, key_file: 'key', timeout_ms: 10_000 }
  const config = { assistant: 'model', model: host, model_classes, context_chars: 24_000 }
  writeFileSync(file, JSON.stringify(config))
  return file
}

/** @param {any[]} rows */
export function factsLines(rows) {
  return [
    `Facts of ${files} files in an answer`,
    ...rows.map(
      ({ way, facts, calls, chars, seconds }) =>
        `  ${way.padEnd(18)} ${facts} facts, ${calls} calls, ${chars} characters, ${seconds.toFixed(2)} s`,
    ),
    '',
  ]
}
