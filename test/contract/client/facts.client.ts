import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse, stringify } from 'yaml'
import { makeStore } from '../../rig/tree.ts'
import { all_facts } from '../conformance/all-facts.ts'
import { Api } from '../conformance/api.ts'
import { clientOf } from './calls.ts'
import { proxy, type Served, serve } from './programs.ts'
import { type Watch, watchCalls } from './watched-fetch.ts'

/** Prism answers preflights itself, and never answers a request whose JSON is invalid. */
const not_through_prism = /^A-1[36] /

let served: Served
let prism: Awaited<ReturnType<typeof proxy>>
let watch: Watch
let api: Api

beforeAll(async () => {
  served = await serve('default')
  prism = await proxy(served)
  watch = watchCalls(readFileSync(served.description, 'utf8'))
  const options = { base_url: prism.url, key: served.key, project: '', fetch: watch.fetch }
  const { project_id } = await clientOf(options).projects.create({ name: 'Facts' })
  vi.stubGlobal('fetch', watch.fetch)
  api = await Api.at({ url: prism.url, token: served.key, project_id })
})

afterAll(async () => {
  vi.unstubAllGlobals()
  await prism?.stop()
  await served?.stop()
})

describe('the facts of the interface, through Prism', () => {
  afterEach(() => expect(watch.takeViolations(), 'what Prism found').toEqual([]))

  const facts = all_facts.filter(({ title }) => !not_through_prism.test(title))
  test.each(facts.map((each) => [each.title, each] as const))('%s', async (_title, { check }) => {
    await check(api.alone())
  })

  test('every call of the description was made', () => {
    expect(watch.missing()).toEqual([])
  })
})

test('Prism reports an answer that lacks a described field, and a request that the service takes against it', async () => {
  const document = parse(readFileSync(served.description, 'utf8'))
  document.components.schemas.Label.required.push('shape')
  document.components.schemas.LabelCreate.properties.name.minLength = 10
  const description = join(makeStore(), 'changed.yaml')
  writeFileSync(description, stringify(document))
  const other = await proxy({ url: served.url, description })
  try {
    const { project_id } = api
    const options = { base_url: other.url, key: served.key, project: project_id, fetch: watch.fetch }
    await clientOf(options).labels.create({ name: 'Short' })
    const found = watch.takeViolations().join('\n')
    expect(found).toMatch(/response.* 'shape'/)
    expect(found).toMatch(/request.* 10 characters/)
  } finally {
    await other.stop()
  }
})
