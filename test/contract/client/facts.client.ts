import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { parse, stringify } from 'yaml'
import { makeStore } from '../../rig/tree.ts'
import { all_facts } from '../conformance/all-facts.ts'
import { Api } from '../conformance/api.ts'
import { clientOf } from './calls.ts'
import { type Profile, profiles, proxy, type Served, serve } from './programs.ts'
import { type Watch, watchCalls } from './watched-fetch.ts'

/** Prism answers preflights itself, and never answers a request whose JSON is invalid. */
const not_through_prism = /^A-1[36] /

/** The facts that the hosted profile breaks on purpose, and the one of part E that says so. */
const deviations: Record<Profile, Readonly<Record<string, string>>> = {
  default: {},
  hosted: {
    'A-26': 'E-09',
    'A-27': 'E-09',
    'A-29': 'E-09',
    'A-30': 'E-09',
    'B-06': 'E-04',
    'B-14': 'E-04',
    'B-20': 'E-04',
    'C-10': 'E-01',
    'C-11': 'E-01',
    'C-26': 'E-11',
    'D-01': 'E-06',
  },
}

describe.each(profiles)(
  'the facts of the interface, through Prism, with the %s profile',
  (profile) => {
    let served: Served
    let prism: Awaited<ReturnType<typeof proxy>>
    let watch: Watch
    let api: Api

    beforeAll(async () => {
      served = await serve(profile)
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

    afterEach(() => expect(watch.takeViolations(), 'what Prism found').toEqual([]))

    const facts = all_facts.filter(({ title }) => !not_through_prism.test(title))
    const other = deviations[profile]
    const idOf = (title: string) => title.slice(0, 'A-00'.length)
    const [kept, broken] = [
      facts.filter((each) => !other[idOf(each.title)]),
      facts.filter((each) => other[idOf(each.title)]),
    ]

    test.each(kept.map((each) => [each.title, each] as const))('%s', async (_title, { check }) => {
      await check(api.alone())
    })

    test.each(broken.map((each) => [each.title, other[idOf(each.title)], each] as const))(
      'not so: %s (%s)',
      async (_title, _deviation, { check }) => {
        await expect(check(api.alone())).rejects.toThrow()
      },
    )

    test('every deviation stands at a fact', () => {
      expect(broken.map(({ title }) => idOf(title)).sort()).toEqual(Object.keys(other).sort())
    })

    test('every call of the description was made', () => {
      expect(watch.missing()).toEqual([])
    })
  },
)

test('Prism reports an answer that lacks a described field, and a request that the service takes against it', async () => {
  const served = await serve('default')
  onTestFinished(() => served.stop())
  const text = readFileSync(served.description, 'utf8')
  const document = parse(text)
  document.components.schemas.Label.required.push('shape')
  document.components.schemas.LabelCreate.properties.name.minLength = 10
  const description = join(makeStore(), 'changed.yaml')
  writeFileSync(description, stringify(document))
  const prism = await proxy({ url: served.url, description })
  onTestFinished(() => prism.stop())
  const watch = watchCalls(text)
  const options = { base_url: prism.url, key: served.key, fetch: watch.fetch }
  const { project_id } = await clientOf({ ...options, project: '' }).projects.create({
    name: 'Changed',
  })
  await clientOf({ ...options, project: project_id }).labels.create({ name: 'Short' })
  const found = watch.takeViolations().join('\n')
  expect(found).toMatch(/response.* 'shape'/)
  expect(found).toMatch(/request.* 10 characters/)
})
