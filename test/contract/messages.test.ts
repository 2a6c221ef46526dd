import { expect, test } from 'vitest'
import type { z } from 'zod'
import { errorBody, listQuery, noBody } from '../../src/contract/envelope.ts'
import { id_kinds, idPattern, isId } from '../../src/contract/identifiers.ts'
import {
  assetCreate,
  assetSlot,
  labelAttach,
  labelCreate,
} from '../../src/contract/messages/messages-assets.ts'
import { chatStart } from '../../src/contract/messages/messages-chats.ts'

const ok = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success
const tail = 'a1b2c3d4e5f6g7h8i9j0'

test('ids are kind, underscore and 20 lower-case letters or digits', () => {
  for (const kind of id_kinds) {
    expect(isId(kind, `${kind}_${tail}`)).toBe(true)
    expect(idPattern(kind).test(`${kind}_${tail}`)).toBe(true)
    for (const wrong of [
      tail,
      `${kind}_${tail}x`,
      `${kind}_${tail.toUpperCase()}`,
      `x${kind}_${tail}`,
      `${kind}_`,
      7,
    ]) {
      expect(isId(kind, wrong), String(wrong)).toBe(false)
    }
    expect(isId(kind, `${kind}_${tail}\n`)).toBe(false)
  }
})

test('a list query takes 1 to 100 in digits (25 by default), one cursor of the right kind, and nothing else', () => {
  const query = listQuery('asset')
  expect(query.parse({})).toEqual({ limit: 25 })
  expect(query.parse({ limit: '100', after_id: `asset_${tail}` })).toEqual({
    limit: 100,
    after_id: `asset_${tail}`,
  })
  for (const limit of ['0', '101', '-1', '', ' 5', '0x10', '1e1', '2.5', 'many', '00001']) {
    expect(ok(query, { limit }), limit).toBe(false)
  }
  expect(ok(query, { after_id: `chat_${tail}` })).toBe(false)
  expect(ok(query, { after_id: `asset_${tail}`, before_id: `asset_${tail}` })).toBe(false)
  expect(ok(query, { cursor: 'x' })).toBe(false)
})

test('creating an asset takes a hexadecimal md5 in any case, bounded fields, and no others', () => {
  const body = { filename: 'a/b.txt', mime_type: 'text/plain' }
  expect(assetCreate.parse({ ...body, md5: 'AB'.repeat(16) }).md5).toBe('ab'.repeat(16))
  expect(assetCreate.parse(body)).toEqual(body)
  expect(ok(assetCreate, { ...body, mime_type: 'text/plain; charset=utf-8' })).toBe(true)
  expect(ok(assetCreate, { ...body, mime_type: 'application/vnd.oasis.opendocument.text' })).toBe(
    true,
  )
  expect(ok(assetCreate, { ...body, filename: 'Straße 😀 "x"\n.txt' })).toBe(true)
  const wrong = [
    { md5: 'ab' },
    { md5: 'zz'.repeat(16) },
    { md5: null },
    { mime_type: 'text' },
    { mime_type: 'a b/c' },
    { filename: '' },
    { filename: 'x'.repeat(1_025) },
    { size: 1 },
  ]
  for (const change of wrong)
    expect(ok(assetCreate, { ...body, ...change }), JSON.stringify(change)).toBe(false)
})

test('complete takes no body or an empty object, and nothing else', () => {
  expect(ok(noBody, undefined)).toBe(true)
  expect(ok(noBody, {})).toBe(true)
  expect(ok(noBody, { md5: 'x' })).toBe(false)
})

test('a slot needs every upload field', () => {
  const slot = {
    asset_id: `asset_${tail}`,
    already_exists: false,
    upload_url: 'http://127.0.0.1:9/x?sig=y',
    upload_method: 'PUT',
    upload_headers: { 'x-ms-blob-type': 'BlockBlob' },
    expires_at: '2026-01-31T09:30:00.000Z',
  }
  expect(ok(assetSlot, slot)).toBe(true)
  for (const field of Object.keys(slot))
    expect(ok(assetSlot, { ...slot, [field]: undefined }), field).toBe(false)
})

test('label names have 2 to 255 characters, colours six digits', () => {
  expect(ok(labelAttach, { label_name: 'ab' })).toBe(true)
  expect(ok(labelAttach, { label_name: 'a' })).toBe(false)
  expect(ok(labelAttach, { label_name: 'a'.repeat(256) })).toBe(false)
  expect(ok(labelCreate, { name: 'ab', color: '#12aBcd' })).toBe(true)
  expect(ok(labelCreate, { name: 'ab', color: 'red' })).toBe(false)
})

test('starting a chat: scope ids are checked by kind, and no scope names a tenant', () => {
  expect(
    ok(chatStart, { prompt: 'x', scope: { asset_ids: [`asset_${tail}`], label_ids: [] } }),
  ).toBe(true)
  expect(ok(chatStart, { prompt: 'x', scope: {} })).toBe(true)
  expect(ok(chatStart, { prompt: 'x', scope: { asset_ids: [`chat_${tail}`] } })).toBe(false)
  expect(ok(chatStart, { prompt: 'x', scope: { project_id: `project_${tail}` } })).toBe(false)
  expect(ok(chatStart, { prompt: '' })).toBe(false)
  expect(ok(chatStart, { prompt: 'x'.repeat(24_001) })).toBe(false)
  expect(ok(chatStart, { prompt: 'x', intelligence: 'genius' })).toBe(false)
  expect(ok(chatStart, { prompt: 'x', model: 'y' })).toBe(false)
})

test('an error has a dotted code and a status of 400 to 599; humane may be absent', () => {
  expect(ok(errorBody, { code: 'publicapi.auth.invalid', statusCode: 401 })).toBe(true)
  expect(ok(errorBody, { code: 'Nope', statusCode: 401 })).toBe(false)
  expect(ok(errorBody, { code: 'publicapi.auth.invalid', statusCode: 200 })).toBe(false)
})
