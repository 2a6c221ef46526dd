import { expect, test } from 'vitest'
import { closing_words, runLine, withAnswers } from '../../../src/base/text/prompt-lines.ts'
import { type Client, start, until } from '../fixture.ts'
import { modelFile } from './assistant-file.ts'
import { completion, outsideServer } from './outside-server.ts'

const answers = ['The harbour lease ends in May.', 'The harbour crane was repaired.']
const line = runLine('digest', Date.UTC(2026, 10, 23, 7), 'Europe/Berlin', 2, 3)
const asked = `${closing_words}\n\nWhat is new in the harbour?\n\n${line}`

async function answerTo(client: Client, body: object): Promise<string> {
  const { chat_id, message_id } = (await client.post('/v1/chats', body)).body
  const path = `/v1/chats/${chat_id}/messages/${message_id}`
  await until(async () => (await client.get(path)).body.status === 'done')
  return chat_id
}

/** What a model is sent for a closing question whose prompt has at most so many characters. */
async function promptFor(max_length: number): Promise<string> {
  const model = await outsideServer(...answers.map((answer) => completion(answer)), completion('x'))
  const client = await start({ assistant_config: modelFile(model.origin) })
  const chat_ids: string[] = []
  for (const part of [1, 2])
    chat_ids.push(await answerTo(client, { prompt: `Part ${part}?`, public_data: false }))
  const prompt = withAnswers(asked, answers, max_length)
  await answerTo(client, { prompt, scope: { chat_ids }, public_data: false })
  return model.received.at(-1)!.body.messages.at(-1).content
}

test('C-28 a model gets the answers of a closing question once, and no passages of their chats', async () => {
  const prompt = await promptFor(2_000)
  for (const answer of answers) expect(prompt.split(answer)).toHaveLength(2)
  expect(prompt).not.toContain('# Sources')
  expect(prompt).toContain('The answers to the parts, above, are the sources')
})

test('C-28 where an answer is cut, the passages of the chats are there, too', async () => {
  const prompt = await promptFor(asked.length + 120)
  expect(prompt).toContain('# Sources')
  for (const answer of answers) expect(prompt).toContain(answer)
})
