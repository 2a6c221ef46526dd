import { samplePassages } from '../../../../src/service/store/passages/passage-index.ts'
import { type Client, md5Of, put } from '../../fixture.ts'

/** All passages of a service. */
export function passages(client: Client): string[] {
  return samplePassages(client.service.data_dir, 10_000)
}

export async function recordOf(client: Client, asset_id: string) {
  return (await client.get(`/v1/assets/${asset_id}`)).body
}

export async function readingOf(client: Client, asset_id: string) {
  return (await recordOf(client, asset_id)).reading
}

/** Sends a file and does not wait for its reading. */
export async function send(client: Client, bytes: Buffer, filename: string): Promise<string> {
  const slot = await client.slot({ filename, mime_type: 'application/pdf', md5: md5Of(bytes) })
  await put(slot, bytes)
  await client.post(`/v1/assets/${slot.asset_id}/complete`)
  return slot.asset_id
}
