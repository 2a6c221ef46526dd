import { describe, expect, test } from 'vitest'
import { needs_program_code, no_text_code, wire_form_code } from '../../src/contract/errors.ts'
import {
  asset_id,
  failureOf,
  idNumber,
  label_id,
  project_id,
  remoteAt,
  successOf,
} from './fixture.ts'
import { type Answer, startServer } from './recording-server.ts'

const file = { filename: 'a/b.txt', mime_type: 'text/plain' }
const slot = {
  asset_id,
  already_exists: false,
  upload_url: 'https://blob.example/x?sig=SECRET',
  upload_method: 'PUT',
  upload_headers: { 'x-ms-blob-type': 'BlockBlob' },
  expires_at: '2026-01-01T00:10:00Z',
}
const record = { asset_id, status: 'ready' }

async function remoteFor(...answers: Answer[]) {
  const server = await startServer(answers)
  return { server, remote: remoteAt(server.origin) }
}

const missing = (code: string): Answer => ({ status: 404, body: { code, statusCode: 404 } })

describe('create', () => {
  async function create(status: number, body: object) {
    const { remote } = await remoteFor({ status, body })
    return remote.createAsset(project_id, file)
  }

  test('sends name, type and md5, and nothing else', async () => {
    const { server, remote } = await remoteFor({ status: 201, body: slot })
    await remote.createAsset(project_id, { ...file, md5: 'ab'.repeat(16) })
    await remote.createAsset(project_id, file)
    expect(
      server.requests.map((request) => [
        request.method,
        request.path,
        JSON.parse(request.body.toString()),
      ]),
    ).toEqual([
      ['POST', '/v1/assets', { ...file, md5: 'ab'.repeat(16) }],
      ['POST', '/v1/assets', file],
    ])
    expect(server.requests[0]?.headers['content-type']).toBe('application/json')
  })

  test('returns a slot with its ticket; an absent already_exists is false', async () => {
    const { already_exists: _, ...bare } = slot
    for (const body of [slot, bare]) {
      expect(successOf(await create(201, body))).toEqual({
        kind: 'slot',
        asset_id,
        ticket: {
          upload_url: slot.upload_url,
          upload_method: 'PUT',
          upload_headers: slot.upload_headers,
          expires_at_ms: Date.UTC(2026, 0, 1, 0, 10),
        },
      })
    }
    const without = successOf(await create(201, { ...slot, upload_headers: null }))
    expect(without).toMatchObject({ ticket: { upload_headers: {} } })
  })

  test('a ticket of more than 16 KB is refused; the failure says its size and nothing of its content', async () => {
    const rest = 16_384 - slot.upload_url.length - 'x-signed'.length
    const answers = (length: number) =>
      create(201, { ...slot, upload_headers: { 'x-signed': 'S'.repeat(length) } })
    expect(successOf(await answers(rest)).kind).toBe('slot')
    for (const failure of [
      failureOf(await answers(rest + 1)),
      failureOf(
        await create(201, {
          ...slot,
          upload_url: `https://blob.example/x?sig=${'S'.repeat(4_000_000)}`,
        }),
      ),
      failureOf(await create(201, { ...slot, upload_headers: { ['S'.repeat(20_000)]: '' } })),
    ]) {
      expect(failure).toMatchObject({ about: 'unknown_protocol', status: 201 })
      expect(failure.message).toMatch(/have [\d,]+ bytes together, more than 16,384$/)
      expect(JSON.stringify(failure).length).toBeLessThan(300)
    }
  })

  test('returns an asset that exists, with or without its status', async () => {
    expect(
      successOf(await create(200, { asset_id, already_exists: true, status: 'ingesting' })),
    ).toEqual({
      kind: 'exists',
      asset_id,
      status: 'ingesting',
    })
    expect(successOf(await create(200, { asset_id, already_exists: true }))).toEqual({
      kind: 'exists',
      asset_id,
    })
    expect(successOf(await create(200, { asset_id }))).toEqual({ kind: 'exists', asset_id })
    expect(successOf(await create(201, { ...slot, already_exists: true }))).toEqual({
      kind: 'exists',
      asset_id,
    })
  })

  test('a slot that cannot be filled safely is refused, and its secrets stay out of the failure', async () => {
    const odd: Record<string, unknown>[] = [
      { asset_id: undefined },
      { asset_id: 'asset_../../x' },
      { asset_id: idNumber('chat', 1) },
      { upload_method: 'POST' },
      { upload_method: undefined },
      { upload_url: undefined },
      { upload_url: 'http://blob.example/x?sig=SECRET' },
      { upload_url: 'https://me:SECRET@blob.example/x' },
      { upload_url: 'SECRET' },
      { expires_at: undefined },
      { expires_at: 'SECRET' },
      { upload_headers: ['SECRET'] },
      { upload_headers: { 'x-a': 7 } },
      { upload_headers: { 'x-a': 'SECRET\r\nx-b: c' } },
      { upload_headers: { 'x-a': 'SECRET €' } },
      { upload_headers: { 'x a': 'SECRET' } },
      { upload_headers: { 'X-API-Key': 'SECRET' } },
      { upload_headers: { 'x-project-id': 'SECRET' } },
      { upload_headers: { Host: 'SECRET' } },
      { upload_headers: { 'Transfer-Encoding': 'chunked' } },
      { upload_headers: { a: 'SECRET', A: 'SECRET' } },
      {
        upload_headers: Object.fromEntries(
          Array.from({ length: 33 }, (_, n) => [`x-${n}`, 'SECRET']),
        ),
      },
    ]
    for (const change of odd) {
      const failure = failureOf(await create(201, { ...slot, ...change }))
      expect(failure, JSON.stringify(change)).toMatchObject({
        about: 'unknown_protocol',
        status: 201,
      })
      expect(JSON.stringify(failure)).not.toMatch(/SECRET|\.\./)
    }
    expect(failureOf(await create(200, { asset_id, already_exists: false })).about).toBe(
      'unknown_protocol',
    )
  })

  test('B-31 the failure names the header that cannot be sent, and never its value', async () => {
    const cases: [headers: Record<string, unknown>, named: string][] = [
      [{ 'Transfer-Encoding': 'SECRET' }, 'Transfer-Encoding'],
      [{ Connection: 'SECRET' }, 'Connection'],
      [{ Expect: '100-continue' }, 'Expect'],
      [{ Host: 'SECRET' }, 'Host'],
      [{ 'x-meta-name': 'SECRET €' }, 'x-meta-name'],
      [{ 'x-meta-name': 'SECRET\r\nx-b: c' }, 'x-meta-name'],
      [{ 'x-count': 7 }, 'x-count'],
      [{ 'Authorization: Bearer SECRET': '' }, 'Authorization…'],
      [{ 'x-a': 'one', 'X-A': 'two' }, 'X-A'],
      [{ [`x-${'y'.repeat(9_000)}`]: '€' }, `x-${'y'.repeat(62)}`],
    ]
    for (const [upload_headers, named] of cases) {
      const failure = failureOf(await create(201, { ...slot, upload_headers }))
      expect(failure).toMatchObject({
        about: 'unknown_protocol',
        code: 'upload_header',
        status: 201,
      })
      expect(failure.message).toContain(`: the header ${named} of upload_headers cannot be sent: `)
      expect(failure.message).not.toContain('SECRET')
    }
    successOf(await create(201, { ...slot, upload_headers: { Host: 'blob.example' } }))
  })

  test('failures are about this content or this project, by the table', async () => {
    const { remote } = await remoteFor(
      { status: 400, body: { code: '', statusCode: 400 } },
      missing('a.b'),
    )
    expect(failureOf(await remote.createAsset(project_id, file)).about).toBe('content')
    expect(failureOf(await remote.createAsset(project_id, file)).about).toBe('project')
  })
})

describe('complete and read', () => {
  test('complete has no body, and a length that says so', async () => {
    const { server, remote } = await remoteFor({
      status: 200,
      body: { ...record, status: 'ingesting' },
    })
    expect(successOf(await remote.completeAsset(project_id, asset_id)).status).toBe('ingesting')
    const [request] = server.requests
    expect(request).toMatchObject({ method: 'POST', path: `/v1/assets/${asset_id}/complete` })
    expect(request?.headers).toMatchObject({ 'content-length': '0' })
    expect(request?.headers['content-type']).toBeUndefined()
  })

  test('an empty success counts; the state of the asset is read later', async () => {
    const { remote } = await remoteFor({ status: 204 }, { status: 202, body: ' \n' })
    for (let round = 0; round < 2; round++) {
      expect(successOf(await remote.completeAsset(project_id, asset_id))).toEqual({
        asset_id,
        status: 'other',
        raw_status: '',
      })
    }
  })

  test('complete and read fail for a missing slot, missing bytes and a missing asset', async () => {
    const { remote } = await remoteFor(
      missing('a.b'),
      { status: 400, body: { code: 'a.b' } },
      missing('a.b'),
    )
    expect(failureOf(await remote.completeAsset(project_id, asset_id)).about).toBe('slot_gone')
    expect(failureOf(await remote.completeAsset(project_id, asset_id)).about).toBe('attempt')
    expect(failureOf(await remote.readAsset(project_id, asset_id)).about).toBe('asset_gone')
  })

  test('a record is read in full, bare, and with an unknown status', async () => {
    const full = {
      ...record,
      filename: 'a/b.txt',
      mime_type: 'text/plain',
      size_in_bytes: 12,
      created_at: '2026-01-01T00:00:00.500Z',
      labels: [{ label_id, name: 'Contracts' }],
      brand_new: true,
    }
    const odd = {
      asset_id,
      status: 'polishing',
      size_in_bytes: -1,
      created_at: 'today',
      labels: null,
      filename: null,
    }
    const { remote } = await remoteFor({ status: 200, body: full }, { status: 200, body: odd })
    expect(successOf(await remote.readAsset(project_id, asset_id))).toEqual({
      asset_id,
      status: 'ready',
      raw_status: 'ready',
      filename: 'a/b.txt',
      shown_name: 'a/b.txt',
      size_in_bytes: 12,
      created_at_ms: Date.UTC(2026, 0, 1) + 500,
      labels: [{ label_id, name: 'Contracts' }],
    })
    expect(successOf(await remote.readAsset(project_id, asset_id))).toEqual({
      asset_id,
      status: 'other',
      raw_status: 'polishing',
    })
  })

  test('a failed record gives its reason, unless it cannot be shown', async () => {
    const failed = (error: unknown) => ({
      status: 200,
      body: { ...record, status: 'failed', error },
    })
    const code = 'publicapi.asset.ingest.unreadable'
    const token = `pat_${'x'.repeat(32)}`
    const { remote } = await remoteFor(
      failed({ code, humane: ' Read\nnothing. ' }),
      failed({ code }),
      failed({ humane: `Wrong ${token}` }),
      failed('words'),
      failed(null),
      { status: 200, body: { ...record, error: { code } } },
    )
    const reasons: unknown[] = []
    for (let round = 0; round < 6; round++) {
      reasons.push(successOf(await remote.readAsset(project_id, asset_id)).why_failed)
    }
    expect(reasons).toEqual([
      'Read nothing',
      code,
      expect.stringContaining('Wrong '),
      undefined,
      undefined,
      undefined,
    ])
    expect(JSON.stringify(reasons)).not.toContain(token)
  })

  test('a record of another asset, or without a status, is refused', async () => {
    const { remote } = await remoteFor(
      { status: 200, body: { ...record, asset_id: idNumber('asset', 7) } },
      { status: 200, body: { asset_id } },
      { status: 200, body: { asset_id, status: '' } },
    )
    for (let round = 0; round < 3; round++) {
      expect(failureOf(await remote.readAsset(project_id, asset_id)).about).toBe('unknown_protocol')
    }
  })
})

describe('list', () => {
  const item = (number: number) => ({ asset_id: idNumber('asset', number), status: 'ready' })
  const last_id = idNumber('asset', 2)
  const page = { data: [item(1), item(2)], has_more: true, first_id: idNumber('asset', 1), last_id }

  test('a page leads to the next page', async () => {
    const { server, remote } = await remoteFor(
      { status: 200, body: page },
      { status: 200, body: { data: [item(3)], has_more: false, last_id: idNumber('asset', 3) } },
      { status: 200, body: { data: [], has_more: false } },
    )
    const first = successOf(await remote.listAssets(project_id, {}))
    expect(first.items.map((asset) => asset.asset_id)).toEqual([idNumber('asset', 1), last_id])
    expect(first.next).toBe(last_id)
    const second = successOf(await remote.listAssets(project_id, { after_id: last_id, limit: 10 }))
    expect(second).toEqual({ items: [{ ...item(3), raw_status: 'ready' }] })
    expect(successOf(await remote.listAssets(project_id, {}))).toEqual({ items: [] })
    expect(server.requests.map((request) => request.path)).toEqual([
      '/v1/assets?limit=100',
      `/v1/assets?limit=10&after_id=${last_id}`,
      '/v1/assets?limit=100',
    ])
  })

  test('B-32 the name in answers is the later one, else the first', async () => {
    const items = [
      { ...item(1), filename: 'open/a.txt', name: 'open/b.txt' },
      { ...item(2), filename: 'open/a.txt', name: null },
      item(3),
    ]
    const { remote } = await remoteFor({ status: 200, body: { data: items, has_more: false } })
    const listed = successOf(await remote.listAssets(project_id, {}))
    expect(listed.items.map(({ shown_name }) => shown_name)).toEqual([
      'open/b.txt',
      'open/a.txt',
      undefined,
    ])
  })

  test('B-30 an item without a status is read all the same; its status is empty', async () => {
    const items = [
      { asset_id: idNumber('asset', 1), filename: 'a.txt' },
      { ...item(2), status: null },
      item(3),
    ]
    const named = { filename: 'a.txt', shown_name: 'a.txt' }
    const { remote } = await remoteFor({ status: 200, body: { data: items, has_more: false } })
    expect(successOf(await remote.listAssets(project_id, {}))).toEqual({
      items: [
        { asset_id: idNumber('asset', 1), status: 'other', raw_status: '', ...named },
        { asset_id: idNumber('asset', 2), status: 'other', raw_status: '' },
        { asset_id: idNumber('asset', 3), status: 'ready', raw_status: 'ready' },
      ],
    })
  })

  test('a page that leads nowhere or in a circle, or holds unknown items, is refused', async () => {
    const odd = [
      { ...page, last_id: undefined },
      { ...page, last_id: null },
      { ...page, last_id: idNumber('chat', 2) },
      { ...page, data: [] },
      { ...page, data: undefined },
      { ...page, data: {} },
      { ...page, has_more: undefined },
      { ...page, has_more: 'yes' },
      { ...page, data: [item(1), { asset_id: 'x', status: 'ready' }] },
      { ...page, data: [item(1), null] },
    ]
    for (const body of odd) {
      const { remote } = await remoteFor({ status: 200, body })
      const failure = failureOf(await remote.listAssets(project_id, {}))
      expect(failure.about, JSON.stringify(body)).toBe('unknown_protocol')
    }
    const { remote } = await remoteFor({ status: 200, body: page })
    expect(failureOf(await remote.listAssets(project_id, { after_id: last_id })).message).toContain(
      'cursor that was sent',
    )
  })

  test('A-37 a 404 is the project’s failure; with a cursor, it and a 400 are only this attempt’s', async () => {
    const { remote } = await remoteFor(
      missing('a.b'),
      ...[400, 404].map((status) => ({ status, body: { code: 'foreign.cursor.gone' } })),
    )
    expect(failureOf(await remote.listAssets(project_id, {})).about).toBe('project')
    for (let round = 0; round < 2; round++) {
      const failure = failureOf(await remote.listAssets(project_id, { after_id: last_id }))
      expect(failure.about).toBe('attempt')
    }
  })
})

describe('labels', () => {
  const labels = (...numbers: number[]) =>
    numbers.map((n) => ({ label_id: idNumber('label', n), name: `Label ${n}` }))

  test('a label is attached by name', async () => {
    const { server, remote } = await remoteFor({
      status: 201,
      body: { label_id, name: 'Contracts' },
    })
    expect(successOf(await remote.attachLabel(project_id, asset_id, 'Contracts'))).toEqual({
      label_id,
    })
    const [request] = server.requests
    expect(request).toMatchObject({ method: 'POST', path: `/v1/assets/${asset_id}/labels` })
    expect(JSON.parse(request?.body.toString() ?? '')).toEqual({ label_name: 'Contracts' })
  })

  test('when attaching has an empty answer, the label’s id is found on any page of the list', async () => {
    const first = { data: labels(1, 2), has_more: true, last_id: idNumber('label', 2) }
    const second = { data: labels(3), has_more: false }
    const { server, remote } = await remoteFor(
      { status: 201 },
      { status: 200, body: first },
      { status: 200, body: second },
      { status: 201 },
      { status: 200, body: second },
    )
    expect(successOf(await remote.attachLabel(project_id, asset_id, 'Label 3'))).toEqual({
      label_id: idNumber('label', 3),
    })
    expect(server.requests[2]?.path).toBe(`/v1/labels?limit=100&after_id=${idNumber('label', 2)}`)
    expect(failureOf(await remote.attachLabel(project_id, asset_id, 'Label 4')).about).toBe(
      'unknown_protocol',
    )
  })

  test('a label is detached; a missing one counts as detached, a lost project does not', async () => {
    const { server, remote } = await remoteFor(
      { status: 204 },
      { status: 200, body: 'OK' },
      missing('publicapi.label.not_found'),
      missing('publicapi.tenancy.project.not_found'),
    )
    for (let round = 0; round < 3; round++)
      successOf(await remote.detachLabel(project_id, asset_id, label_id))
    expect(failureOf(await remote.detachLabel(project_id, asset_id, label_id)).about).toBe(
      'project',
    )
    expect(server.requests[0]).toMatchObject({
      method: 'DELETE',
      path: `/v1/assets/${asset_id}/labels/${label_id}`,
    })
  })

  test('a list of labels without an end is given up', async () => {
    let page = 0
    const { server, remote } = await remoteFor((_request, response) => {
      page++
      response.end(
        JSON.stringify({ data: labels(page), has_more: true, last_id: idNumber('label', page) }),
      )
    })
    expect(failureOf(await remote.listLabels(project_id)).about).toBe('unknown_protocol')
    expect(server.requests).toHaveLength(100)
  })
})

describe('how much of an asset was read', () => {
  test.each<[string, unknown, unknown]>([
    [
      'as the contract has it',
      { of: 10, seen: 1, unit: 'page', why: 'pages 2–10 are pictures.', text_md5: 'ab'.repeat(16) },
      { of: 10, seen: 1, unit: 'page', why: 'pages 2–10 are pictures' },
    ],
    ['nothing', { of: 1, seen: 0, unit: 'part' }, { of: 1, seen: 0, unit: 'part' }],
    ['an unknown unit', { of: 3, seen: 2, unit: 'chapter' }, { of: 3, seen: 2 }],
    ['no unit', { of: 3, seen: 3, unit: null }, { of: 3, seen: 3 }],
    [
      'a reason that is no text',
      { of: 3, seen: 3, unit: 'page', why: 7 },
      { of: 3, seen: 3, unit: 'page' },
    ],
    ['more seen than there are', { of: 3, seen: 4, unit: 'page' }, undefined],
    ['of nothing', { of: 0, seen: 0, unit: 'page' }, undefined],
    ['a negative number', { of: 3, seen: -1, unit: 'page' }, undefined],
    ['a fraction', { of: 3, seen: 0.5, unit: 'page' }, undefined],
    ['a text for a number', { of: '3', seen: '1', unit: 'page' }, undefined],
    ['a number missing', { seen: 0, unit: 'page' }, undefined],
    ['null', null, undefined],
    ['a text', 'whole', undefined],
    ['absent', undefined, undefined],
  ])('%s', async (_, reading, expected) => {
    const page = { data: [{ ...record, reading, labels: [] }], has_more: false }
    const { remote } = await remoteFor(
      { status: 200, body: { ...record, reading } },
      { status: 200, body: page },
    )
    expect(successOf(await remote.readAsset(project_id, asset_id)).reading).toEqual(expected)
    const listed = successOf(await remote.listAssets(project_id, {}))
    expect(listed.items[0]?.reading).toEqual(expected)
  })

  test('B-43 only codes of the contract say that a failed asset has no text to read', async () => {
    const failed = (code: string) => ({
      status: 200,
      body: { asset_id, status: 'failed', error: { code, humane: 'Why.' } },
    })
    const { remote } = await remoteFor(
      failed(no_text_code),
      failed(wire_form_code),
      failed(needs_program_code),
      failed('no_text'),
    )
    const said = async () => successOf(await remote.readAsset(project_id, asset_id))
    expect(await said()).toMatchObject({ has_no_text: true, why_failed: 'Why' })
    expect(await said()).toMatchObject({ has_no_text: true, why_failed: 'Why' })
    expect(await said()).toMatchObject({ has_no_text: true, why_failed: 'Why' })
    expect(await said()).not.toHaveProperty('has_no_text')
  })
})
