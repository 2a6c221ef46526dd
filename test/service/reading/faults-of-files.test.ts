import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sqliteDriver } from '../../../src/base/files/sqlite-driver.ts'
import { type Client, start, until } from '../fixture.ts'
import { earlierData, earlierId } from './earlier-data.ts'

/** The second one makes the reader throw. */
const files = ['first', 'broken', 'third'].map((name) => ({
  filename: `${name}.txt`,
  bytes: `The ${name} heron.`,
}))

/** Data in which the bytes of a file are of a type that no reader expects. */
function brokenData(change: string): string {
  const data_dir = earlierData(files)
  const database = new (sqliteDriver())(join(data_dir, 'service.db'))
  database.exec(`CREATE TABLE copy (asset INTEGER PRIMARY KEY, size_in_bytes, md5, bytes, file);
    INSERT INTO copy SELECT asset, size_in_bytes, md5, bytes, file FROM objects;
    DROP TABLE objects;
    ALTER TABLE copy RENAME TO objects;
    UPDATE objects SET bytes = 12 WHERE asset = 2;
    ${change}`)
  database.close()
  return data_dir
}

// biome-ignore lint/suspicious/noExplicitAny: records of any shape
async function records(client: Client): Promise<any[]> {
  const { data } = (await client.get('/v1/assets')).body
  return data.toReversed()
}

describe('an error while one file is read is the fault of that file, and the others are read', () => {
  test('new files', async () => {
    const lines: string[] = []
    const data_dir = brokenData(`UPDATE assets SET status = 'ingesting', ingest_due_ms = 0`)
    const client = await start({ data_dir, log: (line) => lines.push(line) })
    const ids = files.map((_, at) => earlierId(at))
    await until(() => ids.every((id) => client.statusOf(id) !== 'ingesting'), 'all are read')
    expect(ids.map((id) => client.statusOf(id))).toEqual(['ready', 'failed', 'ready'])
    expect(lines).toEqual([expect.stringMatching(/^the file broken\.txt .* failed.*: broken: /)])
  })

  test('files of an earlier version', async () => {
    const client = await start({ data_dir: brokenData('') })
    await until(
      async () => (await records(client)).every(({ reading }) => reading !== undefined),
      'all are read again',
    )
    const found = await records(client)
    expect(found.map(({ reading }) => reading.seen)).toEqual([1, 0, 1])
    expect(found[1].reading.why).toMatch(/^broken: /)
  })

  test('a lost index: the service starts', async () => {
    const data_dir = brokenData('')
    rmSync(join(data_dir, 'passages.db'))
    const lines: string[] = []
    const client = await start({ data_dir, log: (line) => lines.push(line) })
    expect((await records(client)).map(({ reading }) => reading.seen)).toEqual([1, 0, 1])
    expect(lines).toEqual([
      expect.stringMatching(/^the file broken\.txt .* cannot be read again.*: broken: /),
      'the index of passages was incomplete: 2 assets were read again',
    ])
  })
})

const long = (run: string) => run.repeat(Math.ceil(6_000_000 / run.length))
const noise = Buffer.from(Array.from({ length: 3_000 }, (_, at) => (at * 7_919) >> 3)).toString(
  'base64',
)

test('runs without an end: each file is read or refused, and the next one is read', async () => {
  const client = await start()
  const found: Record<string, string> = {}
  for (const [filename, text] of [
    ['base64.txt', long(noise)],
    ['picture.json', `{"photo": "data:image/png;base64,${long(noise)}"}`],
    ['letters.txt', long('\u{1d400}')],
    ['after.txt', 'The heron waits.'],
  ] as const)
    found[filename] = client.statusOf(await client.upload(text, filename))
  expect(found).toEqual({
    'base64.txt': 'failed',
    'picture.json': 'failed',
    'letters.txt': 'ready',
    'after.txt': 'ready',
  })
})
