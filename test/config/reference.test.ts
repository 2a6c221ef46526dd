import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import tmp from 'tmp'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { configFromObject, loadConfig } from '../../src/config/load.ts'
import { configAsYaml } from '../../src/config/resolve/effective.ts'
import { fields, jsonSchemaText, referenceText } from './reference.ts'
import { who_sets_it } from './who-sets-it.ts'

tmp.setGracefulCleanup()
const root = fileURLToPath(new URL('../..', import.meta.url))
const example = readFileSync(join(root, 'config/sluice.example.yaml'), 'utf8')
const docs_file = join(root, 'docs/config.md')
const home = tmp.dirSync({ unsafeCleanup: true }).name

// `npm run schema` (vitest --update) writes these two files; here the tests fail when one is stale.
test('config/sluice.schema.json comes from the current schema', async () => {
  await expect(jsonSchemaText()).toMatchFileSnapshot(join(root, 'config/sluice.schema.json'))
})

test('docs/config.md describes every field, and only fields that exist', async () => {
  const [begin, end] = [
    /(?<=<!-- Made from the schema by[^\n]*-->\n)/,
    /(?=<!-- \/Made from the schema -->)/,
  ]
  const docs = readFileSync(docs_file, 'utf8')
  const [before, rest] = docs.split(begin) as [string, string]
  const after = rest.split(end).at(-1)!
  await expect(`${before}\n${referenceText()}\n\n${after}`).toMatchFileSnapshot(docs_file)
})

test('every field says what it is, and every default says why', () => {
  for (const { name, default_text, description, is_section } of fields()) {
    expect(description, name).not.toBe('')
    if (default_text !== undefined && !is_section) expect(description, name).toMatch(/default/i)
  }
})

test('who-sets-it.ts has an entry for every field, and no other entry', () => {
  const names = fields().map(({ name }) => name)
  const leaves = fields().filter(({ is_section }) => !is_section)
  expect(leaves.map(({ name }) => name).filter((name) => who_sets_it[name] === undefined)).toEqual(
    [],
  )
  expect(Object.keys(who_sets_it).filter((name) => !names.includes(name))).toEqual([])
})

test('the example is a valid configuration', () => {
  const { config, warnings } = loadConfig({
    file: join(root, 'config/sluice.example.yaml'),
    env: { HOME: home },
  })
  expect(warnings).toEqual([])
  expect(config.folders[0]!.path).toBe(join(home, 'Documents/notes'))
})

test('the example shows the true defaults', () => {
  const shown = example.replaceAll(/^( *)#(\w+:.*)$/gm, '$1$2')
  const value = parse(shown)
  delete value.service.ca_file
  const minimal = {
    service: value.service,
    folders: [{ name: 'notes', path: '~/Documents/notes' }],
  }
  expect(configFromObject(value, { HOME: home })).toEqual(configFromObject(minimal, { HOME: home }))
})

test('the example shows every field', () => {
  for (const { name } of fields()) {
    const key = name.split('.').at(-1)!.replace('[]', '')
    expect(example, name).toMatch(new RegExp(`^[ #{-]*${key}:|[{,] ${key}:`, 'm'))
  }
})

test('durations and sizes are printed as they are written, the defaults with their units', () => {
  const value = {
    service: { base_url: 'http://127.0.0.1:1', project_id: 'project_0123456789abcdefghij' },
    folders: [
      { name: 'a', path: '/tmp/a', settle_ms: '1,5 s', rescan_interval_ms: '90 min' },
      {
        name: 'b',
        path: '/tmp/b',
        settle_ms: 2_500,
        max_file_bytes: '2 gb',
        start: { newer_than: '90 days' },
      },
    ],
    uploads: {
      min_resend_s: '5 minutes',
      bandwidth: { '22:00-06:00': '2 MB/s', '08:00-09:00': 'off' },
      limit: { bytes: '50 GB' },
      max_bytes_per_day: '100 GB',
    },
    asking: { deadline_ms: { auto: '20 min' } },
    health: { disk_free_bytes: '1 GiB' },
    prompts: [
      {
        name: 'p',
        cron: '0 8 * * 1',
        prompt: 'what is new?',
        scope: { folders: ['a'], fresh: '24 hours' },
        catch_up: '360 min',
        deliver: [{ command: { run: ['/bin/x'], timeout: '60 s' } }],
      },
    ],
  }
  const config = configFromObject(value, { HOME: home })
  const printed = configAsYaml(config, value)
  const shown = parse(printed)
  expect(shown).toMatchObject({
    folders: [
      { settle_ms: '1,5 s', rescan_interval_ms: '90 min', max_file_bytes: '4GiB', start: 'all' },
      { settle_ms: 2_500, rescan_interval_ms: '1h', max_file_bytes: '2 gb' },
    ],
    uploads: { ...value.uploads, limit: { files: 100_000, bytes: '50 GB' } },
    asking: { deadline_ms: { fast: '5m', auto: '20 min', research: '2h' } },
    health: { offline_ms: '15m', queue_age_ms: '6h', disk_free_bytes: '1 GiB' },
    prompts: [{ catch_up: '360 min', wait_for_files: '20m', scope: { fresh: '24 hours' } }],
  })
  expect(shown.folders[1].start).toEqual({ newer_than: '90 days' })
  expect(shown.prompts[0].deliver[1].command.timeout).toBe('1m')
  expect(configFromObject(shown, { HOME: home })).toEqual(config)
  expect(configFromObject(parse(configAsYaml(config)), { HOME: home })).toEqual(config)
})

test('the effective values are printed and read back as the same configuration', () => {
  const value = {
    service: {
      base_url: 'http://127.0.0.1:1',
      project_id: 'project_0123456789abcdefghij',
      token_file: '/t',
    },
    folders: [
      {
        name: 'a',
        path: '/tmp/a',
        start: { newer_than: '36h' },
        mime_types: { log: 'text/plain' },
      },
      { name: 'b', path: '/tmp/b', start: 'from_now', labels: ['on: off', 'two'] },
    ],
    uploads: { limit: 'off' },
  }
  const config = configFromObject(value, { HOME: home })
  expect(configFromObject(parse(configAsYaml(config)), { HOME: home })).toEqual(config)
})
