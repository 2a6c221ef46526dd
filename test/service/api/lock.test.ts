import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { routes } from '../../../src/contract/routes/routes.ts'
import { describeInterface } from '../../../src/service/api/openapi.ts'
import { brokenPromises, type Lock, lockOf } from './lock.ts'

const description = describeInterface(routes, 'http://127.0.0.1')
// biome-ignore lint/suspicious/noExplicitAny: the document is what is tested
const describe_now = (): any => structuredClone(description)

test('A-03 the lock file and the description match: /v1 takes nothing back', () => {
  const now = lockOf(describe_now())
  const file = fileURLToPath(new URL('v1.lock.json', import.meta.url))
  if (process.env.SLUICE_WRITE_LOCK) writeFileSync(file, `${JSON.stringify(now, null, 1)}\n`)
  const locked = JSON.parse(readFileSync(file, 'utf8')) as Lock
  expect(brokenPromises(locked, now)).toEqual([])
  // SLUICE_WRITE_LOCK=1 adds new parts to the lock file; from then on they are promised.
  expect(now, 'the lock file lacks what was added').toEqual(locked)
})

/** One way for each kind of broken promise, and the text that the lock must report. */
// biome-ignore lint/suspicious/noExplicitAny: the document is what is tested
const breaks: [string, (document: any, codes: Record<string, number>) => void, RegExp][] = [
  ['a route goes', ({ paths }) => delete paths['/v1/skills'].post, /POST \/v1\/skills: is gone/],
  [
    'a field that could be sent goes',
    ({ components }) => delete components.schemas.AssetCreate.properties.md5,
    /body\.md5 is gone/,
  ],
  [
    'a field of an answer goes',
    ({ components }) => delete components.schemas.Asset.properties.name,
    /name is gone/,
  ],
  [
    'a field of an answer need not be there any more',
    ({ components }) => components.schemas.Asset.required.splice(0, 1),
    /required was true, is false/,
  ],
  [
    'a field must be sent',
    ({ components }) => components.schemas.AssetCreate.required.push('md5'),
    /required was false/,
  ],
  [
    'a new field must be sent',
    ({ components: { schemas } }) => {
      schemas.LabelCreate.properties.size = { type: 'integer' }
      schemas.LabelCreate.required.push('size')
    },
    /body\.size must be sent now/,
  ],
  [
    'a value of a list of values goes',
    ({ components }) => components.schemas.ChatStart.properties.intelligence.enum.pop(),
    /intelligence: enum was/,
  ],
  [
    'a type changes',
    ({ components }) => (components.schemas.Asset.properties.size_in_bytes.type = 'string'),
    /type was/,
  ],
  [
    'a pattern changes',
    ({ components }) => (components.schemas.Asset.properties.asset_id.pattern = '^a_'),
    /pattern was/,
  ],
  [
    'a limit is tightened',
    ({ components }) => (components.schemas.ChatStart.properties.prompt.maxLength = 100),
    /maxLength was 24000, is 100/,
  ],
  [
    'a limit comes where there was none',
    ({ components }) => (components.schemas.ChatStart.properties.scope.maxProperties = 1),
    /maxProperties was free/,
  ],
  [
    'the limit of a page is tightened',
    ({ paths }) =>
      (paths['/v1/assets'].get.parameters.find(
        ({ name }: { name: string }) => name === 'limit',
      ).schema.maximum = 50),
    /\?limit: maximum was 100, is 50/,
  ],
  ['a status goes', ({ paths }) => delete paths['/v1/assets'].post.responses['404'], /404 is gone/],
  [
    'a success has another status',
    ({ paths: { '/v1/labels': labels } }) => {
      labels.post.responses['200'] = labels.post.responses['201']
      delete labels.post.responses['201']
    },
    /succeeds with 200/,
  ],
  [
    'a key is asked for',
    ({ paths }) => (paths['/v1/openapi.yaml'].get.security = [{ key: [] }]),
    /another key/,
  ],
  [
    'a code goes',
    (_document, codes) => delete codes['publicapi.auth.invalid'],
    /publicapi\.auth\.invalid: was 401/,
  ],
  [
    'a code has another status',
    (_document, codes) => (codes['publicapi.auth.invalid'] = 403),
    /publicapi\.auth\.invalid: was 401, is 403/,
  ],
]

test.each(breaks)('A-03 the lock is broken when %s', (_what, change, said) => {
  const [document, codes] = [describe_now(), { ...lockOf(describe_now()).codes }]
  change(document, codes)
  expect(brokenPromises(lockOf(describe_now()), lockOf(document, codes)).join('\n')).toMatch(said)
})

test('A-03 additions break no promise', () => {
  const document = describe_now()
  const { schemas } = document.components
  document.paths['/v1/new'] = document.paths['/v1/labels']
  schemas.LabelCreate.properties.size = {
    type: 'object',
    properties: { x: { type: 'string' } },
    required: ['x'],
  }
  schemas.Label.properties.size = { type: 'integer' }
  schemas.ChatStart.properties.intelligence.enum.push('patient')
  schemas.ChatStart.properties.prompt.maxLength = 48_000
  schemas.AssetCreate.required = ['filename']
  schemas.Label.required.push('color')
  document.paths['/v1/labels'].get.responses['451'] =
    document.paths['/v1/labels'].get.responses['404']
  const codes = { ...lockOf(describe_now()).codes, 'publicapi.new.reason': 400 }
  expect(brokenPromises(lockOf(describe_now()), lockOf(document, codes))).toEqual([])
})
