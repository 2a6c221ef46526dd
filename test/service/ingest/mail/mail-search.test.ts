import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqliteReadOnly } from '../../../../src/base/files/sqlite.ts'
import { passage_migrations } from '../../../../src/service/store/passages/index-format.ts'
import { start } from '../../fixture.ts'
import { filePart, mailOf, part } from './mails.ts'

/** Words of 60 kB that stand in no other file. */
const attachment = `${Array.from({ length: 1_300 }, (_, at) => `The buoy number ${at} is painted by hand.`).join('\n')}\nThe quinsel opens at dawn.\n`

test('B-41 a word of a mail and one of its attachment are found, and the mail is short beside it', async () => {
  const client = await start()
  const body = (encoding: string, words: string) =>
    part(
      ['Content-Type: text/plain; charset=utf-8', `Content-Transfer-Encoding: ${encoding}`],
      words,
    )
  const mail = mailOf('mixed', [
    body('base64', Buffer.from('The zandlewood arrives on Tuesday.').toString('base64')),
    body('quoted-printable', 'The morvane is caf=C3=A9 brown.'),
    filePart('filename=buoys.txt', attachment, 'text/plain'),
  ])
  const asset_id = await client.upload(mail, 'delivery.eml', 'message/rfc822')
  const { reading } = (await client.get(`/v1/assets/${asset_id}`)).body
  expect(reading).toMatchObject({ of: 2, seen: 2, unit: 'attachment' })
  for (const [word, answer] of [
    ['zandlewood', 'The zandlewood arrives on Tuesday.'],
    ['morvane', 'The morvane is café brown.'],
    ['quinsel', 'The quinsel opens at dawn.'],
    ['quinsel', 'delivery.eml, attachment buoys.txt'],
  ]) {
    const { response } = await client.ask(`What of the ${word}?`, {
      scope: { asset_ids: [asset_id] },
    })
    expect(response.replace(/[\s>]+/g, ' '), word).toContain(answer)
  }
  await client.upload(attachment, 'buoys.txt', 'text/plain')
  const counts = passagesByAsset(join(client.service.data_dir, 'passages.db'))
  expect(counts[0]! - counts[1]!).toBeLessThanOrEqual(3)
})

test('B-41 each message of a mailbox is found', async () => {
  const client = await start()
  const line = 'From holm@harbour.example Mon Jan  5 10:00:00 2026\n'
  const mailbox = `${line}Subject: one\n\nThe zandlewood arrives.\n\n${line}Subject: two\n\nThe morvane leaves.\n`
  const asset_id = await client.upload(mailbox, 'all.mbox', 'application/mbox')
  const { reading } = (await client.get(`/v1/assets/${asset_id}`)).body
  expect(reading).toMatchObject({ of: 2, seen: 2, unit: 'part' })
  for (const sentence of ['The zandlewood arrives.', 'The morvane leaves.'])
    expect((await client.ask(sentence)).response).toContain(sentence)
})

/** How many passages each asset has, in the order of the assets. */
function passagesByAsset(file: string): number[] {
  const index = openSqliteReadOnly(file, passage_migrations)
  try {
    const sql = 'SELECT last - first + 1 FROM files ORDER BY asset'
    return index.prepare(sql).pluck().all() as number[]
  } finally {
    index.close()
  }
}
