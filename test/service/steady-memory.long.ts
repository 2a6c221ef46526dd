import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { put, type Slot, temporaryFolder } from './fixture.ts'

const service_module = fileURLToPath(new URL('../../dist/service/service.js', import.meta.url))
const mib = 1024 * 1024
const waves = 16
const uploads = 100
/** Too large for the database: each goes through a file. */
const body = Buffer.alloc(256 * 1024, 7)
/**
 * By this wave everything has grown that grows once: connections, statements, the pages of SQLite.
 */
const grown_after = 6
const max_kept_bytes = 4 * mib
/** The allocator gives pages back when it likes. */
const max_resident_bytes = 48 * mib

test('many waves of uploads leave nothing in memory, and the resident memory stays', async (context) => {
  if (!existsSync('/proc/self/status')) {
    console.log(
      'skipped: the memory of waves of uploads, because the kernel does not report it here',
    )
    return context.skip()
  }
  const data_dir = temporaryFolder()
  const script = join(temporaryFolder(), 'service.mjs')
  writeFileSync(
    script,
    `import { startService } from ${JSON.stringify(service_module)}
     const service = await startService({ data_dir: ${JSON.stringify(data_dir)} })
     const { project_id } = service.projects.create('waves')
     const { token } = service.tokens.create('waves')
     console.log(JSON.stringify({ api: service.api, token, project_id }))
     process.on('message', () => {
       gc()
       const { rss, heapUsed, external } = process.memoryUsage()
       process.send({ rss, kept: heapUsed + external })
     })`,
  )
  const child = spawn(process.execPath, ['--expose-gc', script], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
  const { api, token, project_id } = JSON.parse(line)
  const headers = {
    'x-api-key': token,
    'x-project-id': project_id,
    'content-type': 'application/json',
  }
  const call = async (method: string, path: string, sent?: object) => {
    const answer = await fetch(api + path, {
      method,
      headers,
      ...(sent ? { body: JSON.stringify(sent) } : {}),
    })
    expect(answer.status).toBeLessThan(300)
    // biome-ignore lint/suspicious/noExplicitAny: a slot or a record
    return answer.status === 204 ? undefined : ((await answer.json()) as any)
  }
  const all = <Result>(work: (at: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: uploads }, (_, at) => work(at)))

  const memory: { rss: number; kept: number }[] = []
  for (let wave = 0; wave < waves; wave++) {
    const slots = await all<Slot>(() =>
      call('POST', '/v1/assets', { filename: 'a.png', mime_type: 'image/png' }),
    )
    const put_statuses = await all(async (at) => (await put(slots[at]!, body)).status)
    expect(new Set(put_statuses)).toEqual(new Set([201]))
    await all((at) => call('POST', `/v1/assets/${slots[at]!.asset_id}/complete`))
    await all((at) => call('DELETE', `/v1/assets/${slots[at]!.asset_id}`))
    child.send('how much?')
    memory.push(((await once(child, 'message')) as [{ rss: number; kept: number }])[0])
  }
  expect(readdirSync(join(data_dir, 'objects'))).toEqual([])
  const in_mb = (bytes: number) => Math.round(bytes / mib)
  console.log(
    `after each of ${waves} waves of ${uploads} uploads, MB: kept ${memory.map(({ kept }) => in_mb(kept))}, ` +
      `resident ${memory.map(({ rss }) => in_mb(rss))}`,
  )
  // Buffers are freed a moment after they were collected. Kept memory is in every figure, also in
  // the lowest.
  const min = (waves_of: typeof memory) => Math.min(...waves_of.map(({ kept }) => kept))
  const max = (waves_of: typeof memory) => Math.max(...waves_of.map(({ rss }) => rss))
  const [before, after] = [memory.slice(0, grown_after), memory.slice(grown_after)]
  expect(min(after.slice(-grown_after)) - min(before)).toBeLessThan(max_kept_bytes)
  expect(max(after) - max(before)).toBeLessThan(max_resident_bytes)
})
