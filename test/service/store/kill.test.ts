import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { md5Of, put, type Slot, start, temporaryFolder, until } from '../fixture.ts'

const service_module = fileURLToPath(new URL('../../../dist/service/service.js', import.meta.url))

interface Child {
  process: ChildProcess
  api: string
  token: string
  project_id: string
}

/** Starts a service in a process of its own, which the test kills with SIGKILL. */
async function startChild(data_dir: string): Promise<Child> {
  const code = `
    import { startService } from ${JSON.stringify(service_module)}
    const service = await startService({ data_dir: ${JSON.stringify(data_dir)} })
    const project = service.projects.list()[0] ?? service.projects.create('killed')
    const { token } = service.tokens.create('round ' + service.tokens.list().length)
    console.log(JSON.stringify({ api: service.api, token, project_id: project.project_id }))`
  const script = join(temporaryFolder(), 'service.mjs')
  writeFileSync(script, code)
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
  return { process: child, ...(JSON.parse(line) as Omit<Child, 'process'>) }
}

interface Acknowledged {
  assets: Map<string, string>
  messages: string[]
}

/**
 * Sends files and questions one after the other until the connection breaks; remembers the answered
 * ones.
 */
async function work(
  { api, token, project_id }: Child,
  worker: string,
  acknowledged: Acknowledged,
): Promise<void> {
  const headers = {
    'x-api-key': token,
    'x-project-id': project_id,
    'content-type': 'application/json',
  }
  const post = async (path: string, body?: object) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(api + path, { method: 'POST', headers, ...sent })
    expect(answer.status, `${path}: ${await answer.clone().text()}`).toBeLessThan(300)
    return (await answer.json()) as Slot & { chat_id: string; message_id: string }
  }
  for (let file = 0; ; file++) {
    // Every third is too large for the database and goes into a file.
    const bytes = `${worker}, file ${file}\n`.repeat(file % 3 === 2 ? 8_000 : 10)
    const slot = await post('/v1/assets', {
      filename: `${worker}-${file}.txt`,
      mime_type: 'text/plain',
      md5: md5Of(bytes),
    })
    await put(slot, bytes)
    await post(`/v1/assets/${slot.asset_id}/complete`)
    acknowledged.assets.set(slot.asset_id, md5Of(bytes))
    if (file % 5 === 0)
      acknowledged.messages.push((await post('/v1/chats', { prompt: `${worker} file` })).message_id)
  }
}

test('after kill -9 at any time answered work stays, and everything in progress is finished after the restart', async () => {
  const data_dir = temporaryFolder()
  const acknowledged: Acknowledged = { assets: new Map(), messages: [] }
  for (const round of [0, 1, 2, 3]) {
    const child = await startChild(data_dir)
    const before = acknowledged.assets.size
    const workers = [0, 1, 2, 3].map((at) =>
      work(child, `round ${round} worker ${at}`, acknowledged).catch((error: Error) => {
        if (error.name === 'AssertionError') throw error
      }),
    )
    // The kill comes at any point: after a number of files that differs from round to round.
    await until(() => acknowledged.assets.size >= before + 7 + round * 11)
    child.process.kill('SIGKILL')
    await Promise.all([once(child.process, 'exit'), ...workers])
  }

  const client = await start({ data_dir })
  const { service, project_id } = client
  const rows = () => service.assets(project_id)
  await until(() =>
    rows().every(({ status, bare }) => status === 'ready' || bare || status === 'uploaded'),
  )
  const stored = new Map(rows().map((row) => [row.asset_id, row]))
  for (const [asset_id, md5] of acknowledged.assets) {
    expect(stored.get(asset_id)).toMatchObject({ status: 'ready', md5 })
    expect(md5Of(service.readBlob(asset_id))).toBe(md5)
  }
  const messages = () => service.chats(project_id).flatMap((chat) => chat.messages)
  await until(() => messages().every(({ status }) => status === 'done'))
  expect(messages().map(({ message_id }) => message_id)).toEqual(
    expect.arrayContaining(acknowledged.messages),
  )
  expect(acknowledged.messages.length).toBeGreaterThan(5)
  const large = rows().filter(
    ({ size_in_bytes, bare }) => size_in_bytes > 65_536 || (!bare && size_in_bytes === 0),
  )
  expect(readdirSync(join(data_dir, 'objects')).length).toBeLessThanOrEqual(large.length)
})
