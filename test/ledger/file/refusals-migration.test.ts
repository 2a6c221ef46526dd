import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqlite } from '../../../src/base/files/sqlite.ts'
import { ledger_migrations } from '../../../src/ledger/file/ledger-file.ts'
import { Bench, md5Of } from '../fixture.ts'
import { sqlite_factory } from '../sqlite-factory.ts'

const wanted_again = ['1', '2', '3']

async function refuse(bench: Bench, text: string, code: string): Promise<void> {
  const content = await bench.settle('docs', `${text}.txt`, text)
  await bench.record(
    { type: 'slot_intended', content },
    { type: 'content_refused', content, error: { code, message: 'the service answered 413' } },
  )
  await bench.clock.advance(1_000)
}

test('B-34 contents that an earlier version refused alike are wanted again, and only those', async () => {
  const bench = await new Bench(sqlite_factory).open('docs')
  // Before the last success it was about the content.
  for (const text of ['a', 'b', 'c']) await refuse(bench, text, 'too.large')
  await bench.makeReady(await bench.settle('docs', 'ready.txt', 'ready'))
  await bench.clock.advance(1_000)
  for (const text of wanted_again) await refuse(bench, text, 'too.large')
  for (const text of ['x', 'y']) await refuse(bench, text, 'odd.name')
  for (const text of ['p', 'q', 'r']) await refuse(bench, text, 'gave_up')
  await bench.close()

  const { version } = ledger_migrations.find(({ sql }) => sql.includes('create_refusals'))!
  const file = join(bench.memory, 'ledger.db')
  const database = openSqlite({ file, migrations: ledger_migrations, synchronous: 'NORMAL' })
  database.exec(
    `DROP TABLE create_refusals; DROP TABLE readings; ALTER TABLE types DROP COLUMN answer;
     ALTER TABLE files DROP COLUMN since_ms; DROP TABLE changes; DROP TABLE unread; DROP INDEX runs_written;
     ${[
       'prompts.folders',
       'prompts.changes_to',
       'prompts.changed',
       'runs.changes_to',
       'runs.changed',
       'runs.empty',
       'run_assets.times_unread',
     ]
       .map((name) => `ALTER TABLE ${name.replace('.', ' DROP COLUMN ')};`)
       .join('')}`,
  )
  database.pragma(`user_version = ${version - 1}`)
  database.close()

  await bench.open()
  const all = ['a', 'b', 'c', '1', '2', '3', 'x', 'y', 'p', 'q', 'r']
  const stateOf = (text: string) => bench.see.content(md5Of(text))?.state
  expect(all.filter((text) => stateOf(text) === 'wanted')).toEqual(wanted_again)
  expect(all.filter((text) => stateOf(text) === 'refused')).toHaveLength(8)
  expect(bench.see.counts('docs')).toEqual(bench.see.recounted('docs'))
  const { work } = await bench.ledger.claimToSend(10, { except_projects: [] })
  expect(work.map(({ sources }) => sources[0]?.path)).toEqual(['1.txt', '2.txt', '3.txt'])
  await bench.close()
})
