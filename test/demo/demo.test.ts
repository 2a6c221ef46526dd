import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Clock, system_clock } from '../../src/base/time.ts'
import { runDemo } from '../../src/cli/demo.ts'
import { countOnDisk, late_file, late_question, makeSample } from '../../src/cli/demo-setup.ts'
import { createIgnoreRules } from '../../src/disk/ignore.ts'
import type { Service } from '../../src/service/service.ts'
import { capturedTerminal } from '../cli/captured-terminal.ts'
import { MovingClock } from '../moving-clock.ts'
import { makeTree } from '../tree.ts'
import { until } from '../waiting.ts'

/** Runs it with signals that the test gives; `data_dir` is where its service was. */
function begin(options: { folder?: string; stay?: boolean; clock?: Clock; on_service?: (service: Service) => void }) {
  const captured = capturedTerminal()
  const [first, second] = [new AbortController(), new AbortController()]
  let service: Service | undefined
  const ended = runDemo({
    folder: options.folder,
    stay: options.stay ?? false,
    terminal: captured.terminal,
    clock: options.clock ?? system_clock,
    signals: { first: first.signal, second: second.signal },
    on_service(started) {
      service = started
      options.on_service?.(started)
    },
  })
  return { ...captured, ended, stop: () => first.abort(), service: () => service }
}

/** Of a line of the closing table. */
function figure(out: string, title: string): number {
  const found = new RegExp(`^ *${title} +([\\d,]+)$`, 'm').exec(out)
  if (!found) throw new Error(`no line ${title} in\n${out}`)
  return Number(found[1]!.replaceAll(',', ''))
}

test('the sample: ready, a file added, a question answered by it, and the table adds up', async () => {
  const demo = begin({})
  expect(await demo.ended).toBe(0)
  const out = demo.out()
  expect(out).toContain(`A file is added while it runs: ${late_file.path}`)
  expect(out).toContain(late_question)
  expect(out).toMatch(/\*\*sample\/minutes\/2026-11\.md\*\*[\s\S]*> .*lantern festival begins on the 12th of December/)
  expect(out).toMatch(/1 × ~\$\* {2}lock file of an Office program/)
  expect(out).toMatch(/1 × empty {2}.*notes\/empty\.txt/)
  const [on_disk, ready] = [figure(out, 'files on disk'), figure(out, 'ready')]
  expect(on_disk).toBe(figure(out, 'ignored by rule') + figure(out, 'skipped') + ready + figure(out, 'refused'))
  // The copy has no asset of its own.
  expect(figure(out, 'assets in the service’s own list')).toBe(ready - 1)
  expect(out).toContain(`${ready - 1} different contents sent = ${ready - 1} assets on the service: yes`)
  expect(demo.service()!.blobFaults.count).toBe(0)
  expect(existsSync(demo.service()!.data_dir)).toBe(false)
  expect(out + demo.err()).not.toMatch(/pat_\w{32}|\/objects\/\w+\?/)
})

test('a given folder is only read; what cannot be read is refused, told, and ends with 3', async () => {
  const folder = makeTree({
    'a.txt': 'The boat is blue.',
    'deep/b.txt': 'The boat is blue.',
    'deep/photo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]),
    'node_modules/x/index.js': 'nothing',
    'node_modules/x/more.js': 'nothing',
    '.sluiceignore': '*.log\n',
    'x.log': 'log',
    'empty.md': '',
  })
  const before = everything(folder)
  const demo = begin({ folder })
  expect(await demo.ended).toBe(3)
  const out = demo.out()
  expect(everything(folder)).toEqual(before)
  expect(out).not.toContain('A file is added')
  expect(
    ['files on disk', 'ignored by rule', 'skipped', 'ready', 'refused'].map((title) => figure(out, title)),
  ).toEqual([8, 4, 1, 2, 1])
  expect(out).toMatch(/2 × node_modules\/ /)
  expect(out).toMatch(/1 × \*\.log .*\.sluiceignore:1/)
  expect(out).toMatch(/1 × the service has the bytes and could not read them[^\n]*\n +\.png 1\n/)
  expect(out).toContain('8 on disk = 8 accounted for: yes')
  expect(out).toContain('2 different contents sent = 2 assets on the service: yes')
})

function everything(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'latin1')]),
  )
}

test('a service that dies half way: an error that says why, within seconds, and nothing left behind', async () => {
  const folder = makeTree(
    Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`f${at}.txt`, `text number ${at}`])),
  )
  let requests = 0
  const demo = begin({
    folder,
    // It is patient for some seconds.
    clock: new MovingClock({ times: 4 }),
    on_service: (service) =>
      void service.on('begin', () => {
        if (++requests === 150) service.setBadDays({ down: true })
      }),
  })
  await expect(demo.ended).rejects.toMatchObject({
    code: 'service.unreachable',
    message: expect.stringMatching(/127\.0\.0\.1/),
  })
  expect(requests).toBeGreaterThanOrEqual(150)
  expect(demo.err()).toMatch(/ERROR.*api: .*127\.0\.0\.1/)
  expect(existsSync(demo.service()!.data_dir)).toBe(false)
})

test('--stay: address, project and where the token is; it ends with the first signal', async () => {
  const demo = begin({ stay: true })
  await until('it stays', () => demo.out().includes('config  '))
  const token_file = /token file {2}(\S+)/.exec(demo.out())![1]!
  const project_id = /project_id {2}(project_\w{20})/.exec(demo.out())![1]!
  const headers = { 'x-api-key': readFileSync(token_file, 'utf8').trim(), 'x-project-id': project_id }
  const answer = await fetch(`${demo.service()!.api}/v1/assets`, { headers })
  expect([answer.status, ((await answer.json()) as { data: unknown[] }).data.length]).toEqual([200, 9])
  demo.stop()
  expect(await demo.ended).toBe(0)
  expect(existsSync(token_file)).toBe(false)
})

test('a signal while it works ends it, with 3 and nothing left behind', async () => {
  const demo = begin({ on_service: (service) => service.setBadDays({ latency_ms: 500 }) })
  await until('it works', () => demo.out().includes('synced now'))
  demo.stop()
  expect(await demo.ended).toBe(3)
  expect(existsSync(demo.service()!.data_dir)).toBe(false)
})

test('a folder that is none is a fault of the command line', async () => {
  await expect(begin({ folder: '/nowhere/at/all' }).ended).rejects.toMatchObject({ code: 'usage.folder' })
})

test('files on disk are counted as find counts them, whatever their names', () => {
  const root = makeTree({ 'a.txt': '1', 'd/e/f.txt': '2', '.hidden/x': '3', 'd/.git/config': '4' })
  const rules = createIgnoreRules(root, { include: [], exclude: ['d/e'], dot_files: false })
  expect(countOnDisk(root, rules)).toMatchObject({
    files: 4,
    ignored_files: 3,
    odd_names: 0,
    unreadable_directories: 0,
  })
  const sample = makeTree()
  makeSample(sample)
  expect(countOnDisk(sample, createIgnoreRules(sample, { include: [], exclude: [], dot_files: false })).files).toBe(11)
})
