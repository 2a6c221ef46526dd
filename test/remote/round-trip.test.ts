import { createHash } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { SluiceError } from '../../src/base/run/errors.ts'
import type { Outcome } from '../../src/remote/outcome.ts'
import type { Remote } from '../../src/remote/remote.ts'
import { type Service, startService } from '../rig/local-service.ts'
import { makeStore } from '../rig/tree.ts'
import { until } from '../rig/waiting.ts'
import { failureOf, idNumber, remoteAt, successOf, ticketFor } from './fixture.ts'

const services: Service[] = []
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()))
})

async function start(profile: 'default' | 'hosted') {
  const data_dir = makeStore()
  const service = await startService({ data_dir, profile })
  services.push(service)
  const { project_id } = service.projects.create('round trip')
  const { token } = service.tokens.create('round trip')
  return { service, project_id, token, remote: remoteAt(service.api, { token: () => token }) }
}

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += 50_000) yield bytes.subarray(at, at + 50_000)
}

/** Asks again until the answer is as wanted. The service needs a moment, never half a minute. */
async function awaitValue<T>(
  ask: () => Promise<Outcome<T>>,
  is_it: (value: T) => boolean,
): Promise<T> {
  let outcome: Outcome<T> | undefined
  const isSo = async () => {
    outcome = await ask()
    if (!outcome.ok && outcome.failure.about !== 'later')
      throw new Error(JSON.stringify(outcome.failure))
    return outcome.ok && is_it(outcome.value)
  }
  await until('the answer that is wanted', isSo, () => outcome)
  return (outcome as Extract<Outcome<T>, { ok: true }>).value
}

async function send(
  remote: Remote,
  project_id: string,
  filename: string,
  bytes: Uint8Array,
): Promise<string> {
  const created = successOf(
    await remote.createAsset(project_id, { filename, mime_type: 'text/plain', md5: md5(bytes) }),
  )
  if (created.kind !== 'slot') throw new Error('there was no slot')
  const size = bytes.byteLength
  const body = size > 50_000 ? { size, stream: inPieces(bytes) } : { size, bytes }
  successOf(await remote.putBytes(created.ticket, body))
  successOf(await remote.completeAsset(project_id, created.asset_id))
  return created.asset_id
}

for (const profile of ['default', 'hosted'] as const) {
  test(`a file is sent, read and asked about, ${profile} profile`, async () => {
    const { service, remote, project_id } = await start(profile)
    const small = Buffer.from('The harbour of Trondheim freezes in hard winters.\n')
    const large = Buffer.from(
      'Nothing to see on this line of a long and dull file.\n'.repeat(10_000),
    )
    const ids = [
      await send(remote, project_id, 'harbours/trondheim.txt', small),
      await send(remote, project_id, 'dull.txt', large),
    ]
    for (const id of ids) {
      await awaitValue(
        () => remote.readAsset(project_id, id),
        ({ status }) => status === 'ready',
      )
    }
    expect(service.readBlob(ids[1] ?? '').equals(large)).toBe(true)

    const again = { filename: 'copy.txt', mime_type: 'text/plain', md5: md5(small).toUpperCase() }
    expect(successOf(await remote.createAsset(project_id, again))).toMatchObject({
      kind: 'exists',
      asset_id: ids[0],
    })

    const first = successOf(await remote.listAssets(project_id, { limit: 1 }))
    const second = successOf(
      await remote.listAssets(project_id, { limit: 1, after_id: first.next }),
    )
    expect(second.next).toBeUndefined()
    const listed = [...first.items, ...second.items]
    expect(listed.map((asset) => asset.asset_id).sort()).toEqual([...ids].sort())
    expect(listed.map((asset) => asset.size_in_bytes).sort()).toEqual(
      [small.length, large.length].sort(),
    )

    const asset_id = ids[0] ?? ''
    const { label_id } = successOf(await remote.attachLabel(project_id, asset_id, 'Harbours'))
    expect(successOf(await remote.attachLabel(project_id, asset_id, 'Harbours'))).toEqual({
      label_id,
    })
    expect(successOf(await remote.listLabels(project_id))).toEqual([{ label_id, name: 'Harbours' }])

    const question = {
      prompt: 'When does the harbour of Trondheim freeze?',
      scope: { label_ids: [label_id] },
    }
    const { chat_id, message_id } = successOf(await remote.startChat(project_id, question))
    const message = await awaitValue(
      () => remote.readMessage(project_id, chat_id, message_id),
      ({ response }) => response !== undefined,
    )
    expect(message).toMatchObject({
      response: expect.stringContaining('hard winters'),
    })
    expect(
      successOf(await remote.listChats(project_id, {})).items.map((chat) => chat.chat_id),
    ).toEqual([chat_id])
    expect(
      successOf(await remote.listMessages(project_id, chat_id)).map((each) => each.message_id),
    ).toEqual([message_id])

    successOf(await remote.detachLabel(project_id, asset_id, label_id))
    successOf(await remote.detachLabel(project_id, asset_id, label_id))
    const labels = successOf(await remote.listAssets(project_id, {})).items.flatMap(
      (asset) => asset.labels,
    )
    expect(labels).toEqual([])
    expect(service.blobFaults).toEqual({ count: 0, reasons: [] })
  })

  test(`each failure has its own reason, ${profile} profile`, async () => {
    const { service, remote, project_id, token } = await start(profile)
    const file = { filename: 'a.txt', mime_type: 'text/plain' }
    const about = async (outcome: Promise<Outcome<unknown>>) => failureOf(await outcome).about
    const nobody = remoteAt(service.api, { token: () => `${token.slice(0, -1)}~` })
    expect(await about(nobody.createAsset(project_id, file))).toBe('account')
    expect(await about(remote.createAsset(idNumber('project', 1), file))).toBe('project')
    expect(await about(remote.createAsset('project_typo', file))).toBe('project')
    expect(await about(remote.listAssets(idNumber('project', 1), {}))).toBe('project')
    expect(await about(remote.createAsset(project_id, { ...file, md5: 'no md5' }))).toBe('content')
    expect(await about(remote.readAsset(project_id, idNumber('asset', 1)))).toBe('asset_gone')
    expect(await about(remote.completeAsset(project_id, idNumber('asset', 1)))).toBe('slot_gone')
    const lost = { prompt: 'x', scope: { asset_ids: [idNumber('asset', 1)] } }
    expect(await about(remote.startChat(project_id, lost))).toBe('content')
    expect(await about(remote.listAssets(project_id, { after_id: idNumber('asset', 1) }))).toBe(
      'attempt',
    )

    const created = successOf(
      await remote.createAsset(project_id, { ...file, md5: md5(Buffer.from('abc')) }),
    )
    if (created.kind !== 'slot') throw new Error('there was no slot')
    expect(await about(remote.completeAsset(project_id, created.asset_id))).toBe('attempt')
    const fault = new SluiceError({ code: 'file.changed', message: 'a.txt changed' })
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('ab')
      throw fault
    }
    await expect(remote.putBytes(created.ticket, { size: 3, stream: broken() })).rejects.toBe(fault)
    expect(await about(remote.completeAsset(project_id, created.asset_id))).toBe('attempt')
    successOf(await remote.putBytes(created.ticket, { size: 3, bytes: Buffer.from('xyz') }))
    expect(await about(remote.completeAsset(project_id, created.asset_id))).toBe('attempt')
    successOf(await remote.putBytes(created.ticket, { size: 3, bytes: Buffer.from('abc') }))
    successOf(await remote.completeAsset(project_id, created.asset_id))
    expect(service.blobFaults.count).toBe(0)

    const forged = ticketFor(`${created.ticket.upload_url}00`, created.ticket.upload_headers)
    expect(await about(remote.putBytes(forged, { size: 3, bytes: Buffer.from('abc') }))).toBe(
      'ticket',
    )

    service.injectFaults({ down: true })
    expect(await about(remote.readAsset(project_id, created.asset_id))).toBe('network')
  })
}

test('every project that the token reaches is listed, page by page', async () => {
  const { service, remote } = await start('default')
  for (let number = 0; number < 120; number++) service.projects.create(`project ${number}`)
  const listed = successOf(await remote.listProjects())
  expect(listed.map(({ project_id }) => project_id).sort()).toEqual(
    service.projects
      .list()
      .map(({ project_id }) => project_id)
      .sort(),
  )
  expect(listed).toHaveLength(121)
  expect(listed.filter(({ is_default }) => is_default)).toHaveLength(1)
})
