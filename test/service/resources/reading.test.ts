import { describe, expect, test } from 'vitest'
import type { AnswerOf } from '../../../src/contract/routes/routes.ts'
import { type Client, start } from '../fixture.ts'
import { type Content, kinds } from '../ingest/kinds.ts'
import { zipOf } from '../ingest/zip.ts'

type AssetRecord = AnswerOf<'assets.read'>

const unknown_type = 'application/octet-stream'
const no_text = 'publicapi.asset.ingest.no_text'

/** The records of one file of each kind, by kind, as a list of assets shows them. */
async function uploadAll(
  client: Client,
  content: (kind: string) => Content,
): Promise<Record<string, AssetRecord>> {
  const files = Object.entries(kinds).flatMap(([kind, make]) => {
    const bytes = make(content(kind))
    return bytes === undefined ? [] : [{ kind, bytes }]
  })
  await Promise.all(files.map(({ kind, bytes }) => client.upload(bytes, `a.${kind}`, unknown_type)))
  const { data } = (await client.get('/v1/assets?limit=100')).body
  expect(data).toHaveLength(files.length)
  for (const { labels: _, ...item } of data) {
    expect((await client.get(`/v1/assets/${item.asset_id}`)).body).toEqual(item)
  }
  return Object.fromEntries(
    data.map((item: { filename: string }) => [item.filename.replace('a.', ''), item]),
  )
}

const units: Readonly<Record<string, string>> = {
  doc: 'part',
  eml: 'attachment',
  msg: 'attachment',
  pdf: 'page',
  pptx: 'slide',
  odp: 'slide',
  xlsx: 'sheet',
  ods: 'sheet',
}

describe.each(['default', 'hosted'] as const)('%s', (profile) => {
  test('B-36 a ready asset of every kind says how much of it was read, also in lists', async () => {
    const found = await uploadAll(await start({ profile }), (kind) => ({
      // Equal bytes would be one asset.
      words: `The heron waits in ${kind}.`,
    }))
    for (const [kind, { status, reading }] of Object.entries(found)) {
      expect(status, kind).toBe('ready')
      expect(reading, kind).toEqual({
        of: 1,
        seen: 1,
        unit: expect.stringMatching(new RegExp(`^(${units[kind] ?? 'part'}|part)$`)),
        text_md5: expect.stringMatching(/^[0-9a-f]{32}$/),
      })
    }
  })

  test('B-36 text_md5 depends on the words alone, and a slot has no reading', async () => {
    const client = await start({ profile })
    const asset_id = await client.upload('The heron waits.')
    const { reading } = (await client.get(`/v1/assets/${asset_id}`)).body
    const other = await client.upload(' The  heron\n\nwaits.\n')
    const again = (await client.get(`/v1/assets/${other}`)).body
    expect([reading.of, again.reading.text_md5]).toEqual([1, reading.text_md5])
    const slot = await client.slot()
    expect((await client.get(`/v1/assets/${slot.asset_id}`)).body).not.toHaveProperty('reading')
  })

  test.each<Content>(['nothing', 'a picture'])(
    'B-37 a file of any kind with %s and no word of its own fails, with a code of its own',
    async (content) => {
      const found = await uploadAll(await start({ profile }), () => content)
      for (const [kind, { status, error, reading }] of Object.entries(found)) {
        expect([status, reading], kind).toEqual(['failed', undefined])
        if (profile === 'hosted') expect(error, kind).toBeUndefined()
        else {
          const humane = expect.stringMatching(
            /^The file cannot be read: it has no text(, only pictures)?\.$/,
          )
          expect(error, kind).toEqual({ code: no_text, humane })
        }
      }
    },
  )
})

test.each([
  ['a file without a byte', '', 'a.txt'],
  ['blanks and line ends', ' \t\r\n\u00a0\u3000', 'a.txt'],
  ['only a byte order mark', Buffer.from('efbbbf', 'hex'), 'a.csv'],
  ['a page with a script alone', '<script>let heron = 1</script>', 'a.html'],
  ['a page with a comment alone', '<!-- heron -->', 'a.html'],
])('B-37 %s has no word', async (_what, bytes, filename) => {
  const client = await start()
  const asset_id = await client.upload(bytes, filename, unknown_type)
  const { status, error } = (await client.get(`/v1/assets/${asset_id}`)).body
  expect([status, error.code]).toEqual(['failed', no_text])
})

test.each([
  ['NUL bytes', Buffer.from('a\0b'), 'a.txt'],
  ['a kind that the service does not read', Buffer.from('89504e470d0a1a0a00', 'hex'), 'a.png'],
  ['an archive without a document', zipOf([{ name: 'a', content: 'heron' }]), 'a.docx'],
])('B-27 another reason has the other code: %s', async (_what, bytes, filename) => {
  const client = await start()
  const asset_id = await client.upload(bytes, filename, unknown_type)
  const { status, error } = (await client.get(`/v1/assets/${asset_id}`)).body
  expect([status, error.code]).toEqual(['failed', 'publicapi.asset.ingest.unreadable'])
})

test.each([
  ['under the name of text', 'a.txt', 'publicapi.asset.ingest.wire_form'],
  ['under its own name', 'a.pem', 'publicapi.asset.ingest.unreadable'],
])('B-40 a key in armour, %s', async (_what, filename, code) => {
  const client = await start()
  const key = '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n'
  const asset_id = await client.upload(Buffer.from(key), filename, unknown_type)
  const { status, error } = (await client.get(`/v1/assets/${asset_id}`)).body
  expect([status, error.code]).toEqual(['failed', code])
  expect(error.humane).toContain('it is a key or message in armour')
})
