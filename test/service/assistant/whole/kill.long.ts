import { expect, test } from 'vitest'
import { start, temporaryFolder, until } from '../../fixture.ts'
import { serve } from '../../service-process.ts'
import { modelFile } from '../assistant-file.ts'
import { factFiles, uploadAll } from './fact-files.ts'
import { factModel } from './fact-model.ts'
import { request, shareOf, skills, timesRead } from './rig.ts'

test('C-24 a kill after each batch and before the closing call pays for nothing twice', async () => {
  const model = await factModel()
  const config = modelFile(model.origin, { context_chars: 24_000, answers_at_once: 1 })
  const data_dir = temporaryFolder()
  const before = await start({ data_dir })
  const files = factFiles(100)
  const asset_ids = await uploadAll(before, files)
  await before.service.close()
  const { project_id, token } = before
  const headers = {
    'x-api-key': token,
    'x-project-id': project_id,
    'content-type': 'application/json',
  }
  const words = ['--assistant-config', config]

  const ask = async (api: string) => {
    const turn = { prompt: request, skills, scope: { asset_ids } }
    const post = { method: 'POST', headers, body: JSON.stringify(turn) }
    return (await (await fetch(`${api}/v1/chats`, post)).json()) as Record<string, string>
  }
  let chat: Record<string, string> | undefined
  let kills = 0
  for (let is_closing = false; !is_closing; kills++) {
    // Each start gets one answer, and is killed while it waits for the next.
    const seen = model.calls.length
    model.hold(seen + 1)
    const service = await serve(data_dir, words)
    chat ??= await ask(service.api)
    await until(() => model.calls.length === seen + 2, 'a call that is held')
    is_closing = !model.calls.at(-1)!.prompt.startsWith('You read files')
    await service.end('SIGKILL')
  }
  model.hold(Number.MAX_SAFE_INTEGER)
  const last = await serve(data_dir, words)
  // biome-ignore lint/suspicious/noExplicitAny: the test reads any record
  let record: any
  await until(async () => {
    const path = `/v1/chats/${chat!.chat_id}/messages/${chat!.message_id}`
    record = await (await fetch(last.api + path, { headers })).json()
    return record.status !== 'running'
  })
  expect(kills).toBeGreaterThanOrEqual(5)
  expect([record.status, shareOf(files, record.response)]).toEqual(['done', 1])
  expect(new Set(timesRead(model, files))).toEqual(new Set([1]))
  expect(record.calls).toBe(model.answered().length)
  const closings = model.answered().filter(({ prompt }) => !prompt.startsWith('You read files'))
  expect(closings).toHaveLength(1)
}, 120_000)
