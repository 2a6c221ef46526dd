import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sqliteDriver } from '../../../src/base/files/sqlite-driver.ts'
import { readIndexProgress } from '../../../src/service/store/passages/passage-index.ts'
import { sluice } from '../command-line.ts'
import { type Client, start, until } from '../fixture.ts'
import { startInProcess } from '../service-process.ts'
import { earlier_project, earlierData } from './earlier-data.ts'

/** More than are indexed in silence. */
const count = 40

function change(data_dir: string, sql: string): void {
  const database = new (sqliteDriver())(join(data_dir, 'passages.db'))
  database.exec(sql)
  database.close()
}

async function filled(): Promise<Client> {
  const client = await start()
  for (let at = 0; at < count; at++)
    await client.upload(`The heron waits at berth ${at}.`, `${at}.txt`)
  await client.service.close()
  return client
}

async function restarted(client: Client, lines: string[] = []): Promise<Client> {
  const { data_dir } = client.service
  const again = await start({ data_dir, log: (line) => lines.push(line) })
  return again.as({ token: client.token, project_id: client.project_id })
}

test('an index of another form is made anew from the kept texts, also without the files', async () => {
  const client = await filled()
  const { data_dir } = client.service
  // As an earlier program with other columns would have left it.
  change(
    data_dir,
    `DROP TABLE passages_1; CREATE VIRTUAL TABLE passages_1 USING fts5(text); UPDATE files SET form = 0`,
  )
  expect(readIndexProgress(data_dir)).toEqual({ done: 0, of: count })
  const status = async () => (await sluice('serve', 'status', '--data-dir', data_dir)).out.trim()
  expect(await status()).toBe(`the index is being made anew: 0 of ${count} files`)
  const lines: string[] = []
  const second = await restarted(client, lines)
  await until(() => lines.length === 2)
  expect(lines).toEqual([
    `the index is being made anew for ${count} files, behind new files and questions`,
    `the index is made anew: ${count} files`,
  ])
  expect(await status()).toBe(`the index is complete: ${count} files`)
  expect((await second.ask('Who waits at berth 7?')).response).toContain('at berth 7.')
})

test('a text that cannot be read leaves out its file alone, and is reported once', async () => {
  const client = await filled()
  change(
    client.service.data_dir,
    `UPDATE files SET form = 0; UPDATE files SET document = x'00' WHERE asset = 3`,
  )
  const lines: string[] = []
  const second = await restarted(client, lines)
  await until(() => lines.length === 3)
  expect(lines[1]).toMatch(
    /^the file 2\.txt \(asset_\w+\) cannot be indexed anew, and answers leave it out: /,
  )
  expect(lines[2]).toBe(`the index is made anew: ${count} files; answers leave out 1 file`)
  expect((await second.ask('Who waits at berth 5?')).response).toContain('at berth 5.')
})

test('while the index is being made anew, answers say so, and no longer', async () => {
  const client = await filled()
  const { data_dir } = client.service
  // An index that takes no file: the work is tried again and does not end.
  change(
    data_dir,
    `UPDATE files SET form = 0; CREATE TRIGGER full BEFORE INSERT ON files BEGIN SELECT RAISE(ABORT, 'full'); END`,
  )
  const lines: string[] = []
  const second = await restarted(client, lines)
  await until(() => lines.some((line) => line.startsWith('the index is being made anew')))
  const { response } = await second.ask('Who waits at berth 5?')
  expect(response).toContain(
    `The index is being made anew, so this answer may leave out files: 0 of ${count} files are in it.`,
  )
  expect(response).toContain('at berth 5.')
  change(data_dir, 'DROP TRIGGER full')
  await until(() => lines.includes(`the index is made anew: ${count} files`))
  expect((await second.ask('Who waits at berth 5?')).response).not.toContain('made anew')
})

test('the passages of the form before texts were kept stay, and are found after a kill', async () => {
  const files = Array.from({ length: count }, (_, at) => ({
    filename: `heron ${at}.txt`,
    bytes: `Bird ${at}.`,
  }))
  const data_dir = earlierData(files)
  const killed = await startInProcess(data_dir)
  killed.child.kill('SIGKILL')
  await until(() => killed.child.signalCode !== null)
  const lines: string[] = []
  const client = (await start({ data_dir, log: (line) => lines.push(line) })).as({
    project_id: earlier_project,
  })
  await until(() => readIndexProgress(data_dir).done === count)
  const { response } = await client.ask('Where is bird 12 of heron 12?')
  expect(response).toMatch(/heron 12\.txt/)
  expect(existsSync(join(data_dir, 'passages.db.before-v2'))).toBe(false)
})
