import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { all_facts } from './all-facts.ts'
import { Api, type Target } from './api.ts'
import { type LocalTarget, localTarget } from './local-target.ts'

// SLUICE_CONTRACT_URL, SLUICE_CONTRACT_TOKEN and SLUICE_CONTRACT_PROJECT name an implementation to
// test; without them it is the local service.
let local: LocalTarget | undefined
let api: Api

beforeAll(async () => {
  const {
    SLUICE_CONTRACT_URL: url,
    SLUICE_CONTRACT_TOKEN: token,
    SLUICE_CONTRACT_PROJECT: project_id,
  } = process.env
  if (url === undefined) local = await localTarget()
  const target: Target = local ?? {
    url: url!.replace(/\/$/, ''),
    token: token ?? '',
    project_id: project_id ?? '',
  }
  api = await Api.at(target)
})

afterAll(() => local?.close())

describe('the interface', () => {
  test.each(all_facts.map((each) => [each.title, each] as const))(
    '%s',
    async (_title, { check }) => {
      await check(api.alone())
    },
  )
})

test('each fact has an id, and no two facts share one', () => {
  const ids = all_facts.flatMap(({ title }) => title.match(/\b[A-E]-\d\d\b/g) ?? [])
  expect(new Set(ids).size).toBe(ids.length)
  for (const { title } of all_facts) expect(title).toMatch(/^[A-E]-\d\d /)
})
