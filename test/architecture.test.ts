import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type House, measureHouse } from './house/measure.ts'
import { readSource } from './house/read-source.ts'
import { breachesOf, doors } from './house/rules.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

test('the source tree follows its rules', () => {
  expect(breachesOf(sourceFiles())).toEqual([])
})

/**
 * A change that exceeds the budget removes something first. A commit of its own raises a number and
 * gives the reason.
 */
test('the source tree stays within its budget', () => {
  const budget: House = JSON.parse(readFileSync(join(root, 'test/house/budget.json'), 'utf8'))
  const measured = measureHouse(sourceFiles())
  console.log(`house: ${JSON.stringify(measured)}`)
  for (const key of ['nodes', 'settings'] as const) {
    expect(measured[key], `${key} in test/house/budget.json`).toBeLessThanOrEqual(budget[key])
  }
})

test('every package of the program has a door, and every door a package', () => {
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  expect(Object.keys(doors).sort()).toEqual(
    Object.keys({ ...dependencies, ...optionalDependencies }).sort(),
  )
})

/** In each thread zod would take 12 MB and a quarter of the start. */
test('no thread loads the schemas', () => {
  const dist = join(root, 'dist')
  const threads = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /-thread\.js$/.test(name),
  )
  expect(threads).toContain('page/page-thread.js')
  const loaded = new Set([...threads, 'ledger/thread.js'])
  for (const name of loaded) {
    for (const { specifier, kind } of readSource(name, readFileSync(join(dist, name), 'utf8'))
      .imports) {
      expect(specifier, `imported by ${name}`).not.toBe('zod')
      if (kind === 'import' && specifier.startsWith('.')) loaded.add(join(name, '..', specifier))
    }
  }
})

test('no test loads a better-sqlite3 of its own: which one is there depends on Node (base/files/sqlite-driver.ts)', () => {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  const code = files.filter((name) => /\.(ts|mjs)$/.test(name) && !/node_modules/.test(name))
  const own = /^import (?!type ).*'better-sqlite3|(require|import)\('better-sqlite3/m
  expect(code.filter((name) => own.test(readFileSync(join(root, 'test', name), 'utf8')))).toEqual(
    [],
  )
})

/**
 * Tests that use a timer, each with its reason. Every other wait is for a fact, or has its reason
 * in test/rig/waiting.ts.
 */
const timers_of_tests: Record<string, string> = {
  'rig/waiting.ts': 'the waits themselves',
  'rig/fake-clock.ts': 'a clock: it lets the event loop turn between two times',
  'rig/moving-clock.ts': 'a clock: real time, faster',
  'journeys/outages/wrong-clock.test.ts': 'a clock that is years off',
  'journeys/running/stop.test.ts': 'a clock whose half minute is short',
  'prompts/ask/ask-question.test.ts': 'a clock that does not wait',
  'rig/no-leaks.ts': 'what a test leaves behind has a moment to end',
  'rig/warm-threads/warm-worker.ts': 'takes the place of a Worker, and ends one that does not',
  'journeys/bad-input/sluice-home.ts': 'a limit: a process that does not end is killed',
  'service/api/slow-clients.test.ts': 'a limit: a connection that is never cut is a fault',
  'service/assistant/assistant-model.test.ts': 'a host that breaks off in the middle of its answer',
  'service/assistant/turn-restart.test.ts': 'a host that takes its time for an answer',
  'journeys/machines/other-machine.long.ts':
    'asks another machine again until it answers or its process has ended',
  'journeys/random/random-life.ts': 'time goes by between two acts of a random life',
  'journeys/disks/mounted-daemon.ts': 'a script that runs in a process of its own',
  'journeys/disks/mounted-over.test.ts': 'the same',
  'journeys/disks/swapped-disks.ts': 'the same',
  'journeys/disks/full-disk.root.ts': 'the same',
}

test('tests await facts: a test that uses a timer is listed here with its reason', () => {
  const names = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  const files = names.filter(
    (name) =>
      name.endsWith('.ts') && !/node_modules|^(remote\/azure|bench|rig\/leaks|sim)\b/.test(name),
  )
  const usesTimer = (name: string) => {
    const text = readFileSync(join(root, 'test', name), 'utf8')
    return (
      readSource(name, text).uses.includes('setTimeout') || /\bsystem_clock\.sleep\(/.test(text)
    )
  }
  expect(files.filter(usesTimer).sort()).toEqual(Object.keys(timers_of_tests).sort())
})

describe('a planted breach is found', () => {
  const planted: [string, Record<string, string>, string][] = [
    [
      'an upward import',
      { 'base/a.ts': `import { b } from '../domain/b.ts'` },
      'base/ may not import domain/',
    ],
    [
      'an upward type import',
      { 'base/a.ts': `import type { B } from '../domain/b.ts'` },
      'base/ may not import',
    ],
    [
      'an upward type in place',
      { 'base/a.ts': `let x: import('../domain/b.ts').B` },
      'base/ may not import',
    ],
    [
      'an upward lazy import',
      { 'base/a.ts': `await import('../domain/b.ts')` },
      'base/ may not import',
    ],
    [
      'an upward re-export',
      { 'base/a.ts': `export * from '../domain/b.ts'` },
      'base/ may not import',
    ],
    [
      'an upward named re-export',
      { 'base/a.ts': `export { b } from '../domain/b.ts'` },
      'base/ may not import',
    ],
    ['an upward thread', { 'base/a.ts': `startThread('domain/b')` }, 'base/ may not import'],
    [
      'a sideways import',
      { 'ledger/a.ts': `import { c } from '../disk/c.ts'` },
      'ledger/ may not import disk/',
    ],
    [
      'a service that knows the client',
      { 'service/a.ts': `import { b } from '../domain/b.ts'` },
      'service/ may not',
    ],
    [
      'a daemon that starts the service',
      { 'daemon/a.ts': `import '../service/c.ts'` },
      'daemon/ may not',
    ],
    [
      'an import of a test',
      { 'base/a.ts': `import '../../test/rig/fake-clock.ts'` },
      'outside src/',
    ],
    ['an import of a missing file', { 'base/a.ts': `import './missing.ts'` }, 'which is not there'],
    [
      'a computed import',
      { 'base/a.ts': 'await import(name)' },
      'something other than a plain string',
    ],
    [
      'a computed thread',
      { 'base/a.ts': 'startThread(name)' },
      'something other than a plain string',
    ],
    ['require', { 'base/a.ts': `require('node:fs')` }, 'uses require()'],
    [
      'a require of its own',
      { 'base/a.ts': 'const r = createRequire(import.meta.url)' },
      'uses createRequire()',
    ],
    [
      'a second door by require',
      { 'domain/a.ts': `createRequire(import.meta.url)('better-sqlite3')` },
      'whose door is',
    ],
    ['a second door', { 'domain/a.ts': `import Database from 'better-sqlite3'` }, 'whose door is'],
    [
      'a second door for types',
      { 'sync/a.ts': `import type { Agent } from 'undici/types/agent'` },
      'whose door is',
    ],
    [
      'a package without door',
      { 'base/a.ts': `import left from '@left/pad/now'` },
      'imports @left/pad, which has no door',
    ],
    [
      'a synchronous call of node:fs',
      { 'sync/a.ts': `import { statSync } from 'node:fs'` },
      'synchronous calls of node:fs',
    ],
    [
      'node:fs as a namespace',
      { 'sync/a.ts': `import * as fs from 'node:fs'` },
      'synchronous calls of node:fs',
    ],
    [
      'node:fs as a default import',
      { 'sync/a.ts': `import fs from 'node:fs'` },
      'synchronous calls of node:fs',
    ],
    [
      'a lazy import of node:fs',
      { 'sync/a.ts': `await import('node:fs')` },
      'synchronous calls of node:fs',
    ],
    [
      'node:fs passed on',
      { 'sync/a.ts': `export * from 'node:fs'` },
      'synchronous calls of node:fs',
    ],
    [
      'a file that is listed for nothing',
      { 'base/files/sqlite.ts': `import { stat } from 'node:fs/promises'` },
      'and has none',
    ],
    ['the environment', { 'base/a.ts': 'process.env.HOME' }, 'uses process.env'],
    ['the environment, unpacked', { 'base/a.ts': 'const { env } = process' }, 'uses process.env'],
    [
      'the environment, imported',
      { 'base/a.ts': `import { env } from 'node:process'` },
      'uses process.env',
    ],
    [
      'the environment, through globalThis',
      { 'base/a.ts': `globalThis.process['env']` },
      'uses process.env',
    ],
    ['process, passed on', { 'base/a.ts': 'const p = process' }, 'uses process passed on'],
    ['an exit', { 'daemon/a.ts': 'process.exit(1)' }, 'uses process.exit'],
    ['an exit code', { 'daemon/a.ts': 'process.exitCode = 1' }, 'uses process.exitCode'],
    ['a signal', { 'daemon/a.ts': `process.once('SIGTERM', stop)` }, 'uses signals'],
    ['a clock', { 'domain/a.ts': 'Date.now()' }, 'uses Date.now'],
    ['a hidden clock', { 'domain/a.ts': 'new Date()' }, 'uses new Date()'],
    ['a timer', { 'domain/a.ts': 'setTimeout(f, 1)' }, 'uses setTimeout'],
    ['a timer, passed on', { 'domain/a.ts': 'const later = { setTimeout }' }, 'uses setTimeout'],
    [
      'a timer, imported',
      { 'domain/a.ts': `import { setTimeout as d } from 'node:timers/promises'` },
      'uses setTimeout',
    ],
    ['a stop watch', { 'domain/a.ts': 'performance.now()' }, 'uses performance.now'],
    ['a fetch', { 'remote/a.ts': `fetch('https://example.com')` }, 'uses fetch'],
    ['another thread', { 'disk/a.ts': `new Worker(new URL('./b.js', base))` }, 'uses new Worker'],
    [
      'an upper floor inside a module',
      { 'sync/intake/a.ts': `import '../upload/b.ts'`, 'sync/upload/b.ts': '' },
      'may not',
    ],
    [
      'an upper floor inside a directory of a module',
      {
        'service/ingest/text/a.ts': `import '../package/b.ts'`,
        'service/ingest/package/b.ts': `import './word/c.ts'`,
        'service/ingest/package/word/c.ts': `import '../../text/d.ts'`,
        'service/ingest/text/d.ts': '',
      },
      'text/ may not import package/',
    ],
    ['a file at the root', { 'main.ts': '' }, 'lies at the root'],
    ['an unknown module', { 'attic/a.ts': '' }, 'there is no module attic/'],
    ['a barrel', { 'base/index.ts': '' }, 'a file called index'],
    ['a file for everything', { 'base/utils.ts': '' }, 'a file called utils'],
    ['another spelling', { 'base/someFile.ts': '' }, 'someFile is not kebab-case'],
    ['a default export', { 'base/a.ts': 'export default 1' }, 'default export'],
    [
      'a default export by name',
      { 'base/a.ts': 'const a = 1\nexport { a as default }' },
      'default export',
    ],
    ['a long file', { 'base/a.ts': 'a\n'.repeat(401) }, 'has 401 lines'],
    ['a file that does not parse', { 'base/a.ts': 'const = 1' }, 'does not parse'],
  ]
  const neighbours = { 'domain/b.ts': 'export const b = 1', 'disk/c.ts': '', 'service/c.ts': '' }

  test.each(planted)('%s', (_what, files, breach) => {
    const found = breachesOf(new Map(Object.entries({ ...neighbours, ...files })))
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(breach)
  })

  test('a circle is found, even one of types and threads', () => {
    const files = {
      'disk/a.ts': `import type { B } from './b.ts'`,
      'disk/b.ts': `startThread('disk/c')`,
      'disk/c.ts': `export { a } from './a.ts'`,
      'disk/d.ts': `import './a.ts'`,
    }
    expect(breachesOf(new Map(Object.entries(files)))).toEqual([
      'circle: disk/a.ts -> disk/b.ts -> disk/c.ts -> disk/a.ts',
    ])
  })
})

test('code that only resembles a breach is not reported', () => {
  const files = {
    'daemon/a.ts': `import { b } from '../domain/b.ts'\nimport { z } from '../contract/z.ts'\nstartThread('disk/c')`,
    'domain/b.ts': `
      // Date.now() and process.env in a comment
      interface Timers { setTimeout(ms: number): void; fetch: string }
      export const b = { fetch: 1, text: 'process.env', at: (ms: number) => new Date(ms) }
      socket.setTimeout(5); queue.fetch(); this.performance.now(); Date.parse('2026'); process.stderr.write('')`,
    'contract/z.ts': `import { z } from 'zod'\nexport { z as schemas }`,
    'disk/c.ts': '',
  }
  expect(breachesOf(new Map(Object.entries(files)))).toEqual([])
})

function sourceFiles(): Map<string, string> {
  const source = join(root, 'src')
  const paths = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  )
  return new Map(paths.sort().map((path) => [path, readFileSync(join(source, path), 'utf8')]))
}
