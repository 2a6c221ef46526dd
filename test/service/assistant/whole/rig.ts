import { every_file_skill } from '../../../../src/contract/every-file-skill.ts'
import { type Client, start, until } from '../../fixture.ts'
import { modelFile } from '../assistant-file.ts'
import type { FactFile } from './fact-files.ts'
import { type FactModel, type FactModelOptions, factModel } from './fact-model.ts'

export const request = 'Summarise what the files say.'
export const skills = [every_file_skill]

/** A service whose answers come from a fact model. Its calls have 18,000 characters at most. */
export async function withModel(options: FactModelOptions = {}, config: object = {}) {
  const model = await factModel(options)
  const lines: string[] = []
  const client = await start({
    assistant_config: modelFile(model.origin, { context_chars: 24_000, ...config }),
    log: (line) => lines.push(line),
  })
  return { model, client, lines }
}

/** Asks about these files in whole, and returns the record of the message once it has ended. */
export async function readAll(client: Client, asset_ids: readonly string[], more: object = {}) {
  const { body } = await client.post('/v1/chats', {
    prompt: request,
    skills,
    scope: { asset_ids },
    ...more,
  })
  const path = `/v1/chats/${body.chat_id}/messages/${body.message_id}`
  // biome-ignore lint/suspicious/noExplicitAny: the tests read any record
  let record: any
  await until(
    async () => {
      record = (await client.get(path)).body
      return record.status !== 'running'
    },
    'the end of the turn',
    60_000,
  )
  return record
}

/** The number of answered calls in which each file stood. */
export function timesRead({ answered }: FactModel, files: readonly FactFile[]): number[] {
  return files.map(({ body }) => answered().filter(({ prompt }) => prompt.includes(body)).length)
}

/** The share of the files whose facts stand in an answer. */
export const shareOf = (facts: readonly FactFile[], response: string) =>
  facts.filter(({ fact }) => response.includes(fact)).length / facts.length
