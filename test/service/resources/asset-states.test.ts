import { expect, test } from 'vitest'
import { FakeClock } from '../../rig/fake-clock.ts'
import { type Client, md5Of, put, type Slot, start } from '../fixture.ts'
import { wordDocument } from '../ingest/zip.ts'

const unreadable = Buffer.from('a\0b')

/** A slot with an asset in each state, and its content. */
async function oneOfEach(client: Client): Promise<[string, Slot, string | Buffer][]> {
  const upload = async (bytes: string | Buffer) => {
    const slot = await client.slot({ md5: md5Of(bytes) })
    await put(slot, bytes)
    return slot
  }
  const complete = async (slot: Slot) => {
    await client.post(`/v1/assets/${slot.asset_id}/complete`)
    return slot
  }
  return [
    ['uploaded', await upload('slot'), 'slot'],
    ['ingesting', await complete(await upload('on its way')), 'on its way'],
  ]
}

test('B-20 ready and failed are final: complete, another PUT and a restart change neither', async () => {
  const client = await start()
  const broken = wordDocument('<w:t>')
  const final: [string, string | Buffer, string][] = [
    ['ready', 'text', 'a.txt'],
    ['ready', wordDocument('<w:t>text</w:t>'), 'a.docx'],
    ['failed', unreadable, 'a.txt'],
    ['failed', broken, 'a.docx'],
  ]
  const ids: [string, string][] = []
  for (const [status, bytes, filename] of final) {
    const slot = await client.slot({ filename })
    await put(slot, bytes)
    const complete = () => client.post(`/v1/assets/${slot.asset_id}/complete`)
    await complete()
    await expect.poll(() => client.statusOf(slot.asset_id), { timeout: 30_000 }).toBe(status)
    expect((await complete()).body.status).toBe(status)
    expect((await put(slot, 'other bytes')).status).toBe(409)
    expect(client.statusOf(slot.asset_id)).toBe(status)
    ids.push([slot.asset_id, status])
  }
  await client.service.close()
  const later = await start({ data_dir: client.service.data_dir })
  // These are read after the restart, and only after everything that could have been read again.
  await later.upload('another text')
  await later.upload(wordDocument('<w:t>another</w:t>'), 'b.docx')
  for (const [asset_id, status] of ids) expect(later.statusOf(asset_id)).toBe(status)
})

test('B-16 only a ready asset can be described', async () => {
  const client = await start({ clock: new FakeClock(), ingest: { delay_ms: 60_000 } })
  const others = await oneOfEach(client)
  for (const [status, { asset_id }] of others) {
    expect(client.statusOf(asset_id)).toBe(status)
    const { body } = await client.post(`/v1/assets/${asset_id}`, { name: 'x' })
    expect(body).toMatchObject({ code: 'publicapi.asset.update.not_ready', statusCode: 400 })
  }
  const there = await start()
  const failed = await there.upload(unreadable)
  expect((await there.post(`/v1/assets/${failed}`, { name: 'x' })).body.code).toBe(
    'publicapi.asset.update.not_ready',
  )
})

test('B-17 deleting frees the content in every state, and takes the labels off', async () => {
  const client = await start({ clock: new FakeClock(), ingest: { delay_ms: 60_000 } })
  for (const [status, { asset_id }, bytes] of await oneOfEach(client)) {
    const { label_id } = (
      await client.post(`/v1/assets/${asset_id}/labels`, { label_name: `of ${status}` })
    ).body
    expect((await client.delete(`/v1/assets/${asset_id}`)).status).toBe(204)
    // 201 means another slot than the deleted one.
    const again = await client.slot({ md5: md5Of(bytes) })
    expect(again.asset_id).not.toBe(asset_id)
    expect(
      client.service.assets(client.project_id).find((row) => row.asset_id === again.asset_id)
        ?.labels,
    ).toEqual([])
    expect((await client.get(`/v1/labels/${label_id}`)).status).toBe(200)
  }
  const there = await start()
  for (const bytes of ['text', unreadable]) {
    const asset_id = await there.upload(bytes)
    await there.post(`/v1/assets/${asset_id}/labels`, { label_name: 'Contracts' })
    await there.delete(`/v1/assets/${asset_id}`)
    const again = await there.upload(bytes)
    expect(again).not.toBe(asset_id)
    expect((await there.get('/v1/assets')).body.data).toMatchObject([
      { asset_id: again, labels: [] },
    ])
    await there.delete(`/v1/assets/${again}`)
  }
})
