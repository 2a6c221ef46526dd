import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { late_file, late_question } from '../../../src/cli/demo/demo-setup.ts'
import { makeTree } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'
import { beginDemo } from './begin-demo.ts'

test('the sample is planned and synced, a file is added, a question is answered from it, and verify finds no difference; --stay waits for a signal', async () => {
  const demo = beginDemo('--stay')
  await until('it stays', () => demo.out().includes('config  '), demo.err)
  const out = demo.out()
  expect(out).toMatch(
    /\$ sluice plan\nwould be uploaded: 9 files .*\n[\s\S]*1 file \(0 B\): empty: notes\/empty\.txt/,
  )
  expect(out).toContain('ignored 1 by ~$* (default): lock file of an Office program')
  expect(out).toMatch(
    /\$ sluice sync\nready {6}9 files, .*\n +new: 8 uploaded \(.*\), 1 with bytes already known\n/,
  )
  expect(out).toContain(`A file is added: ${late_file.path}. It is ready `)
  expect(out).toContain(`$ sluice ask '${late_question}' --path ${late_file.path}\n`)
  expect(out).toMatch(
    /\*\*sample\/minutes\/2026-11\.md[^*]*\*\*[\s\S]*> .*lantern festival begins on the 12th of December/,
  )
  expect(out).toMatch(/\$ sluice status\nall ready: 10 files .*\ndaemon running, /)
  expect(out).toContain(
    '$ sluice verify\n10 files ready, 9 of 9 assets usable (1 file is a copy); no differences\n',
  )
  expect(out + demo.err()).not.toMatch(/pat_\w{32}|\/objects\/\w+\?/)
  const link = new URL(/page {8}(\S+)/.exec(out)![1]!)
  expect(await (await fetch(link)).text()).toContain('It works once')
  // The output names the address of the service and the token file.
  const { token_file, assets } = demo.connection()
  expect((await assets()).length).toBe(9)
  demo.stop()
  expect(await demo.ended, demo.err()).toBe(0)
  expect(existsSync(token_file)).toBe(false)
  expect(demo.left()).toEqual([])
})

test('a given folder is only read; refused files are reported, and the exit code is 3', async () => {
  const folder = makeTree({
    'a.txt': 'The boat is blue.',
    'deep/b.txt': 'The boat is blue.',
    'deep/photo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]),
    'node_modules/x/index.js': 'nothing',
    '.sluiceignore': '*.log\n',
    'x.log': 'log',
    'empty.md': '',
  })
  const before = everything(folder)
  const demo = beginDemo(folder)
  expect(await demo.ended, demo.err()).toBe(3)
  const out = demo.out()
  expect(everything(folder)).toEqual(before)
  expect(out).not.toContain('A file is added')
  expect(out).toMatch(
    /\$ sluice sync\nready {6}2 files, .*\n +new: 1 uploaded .*, 1 with bytes already known\n/,
  )
  expect(out).toContain('1 × the service cannot read .png files')
  expect(out).toMatch(
    /\$ sluice ask 'What do these files say about .*\?' --fresh 1h\n[\s\S]*> The boat is blue[\s\S]*asked about 2 files of \S+ \(1 is a copy of another\)/,
  )
  expect(out).toContain('\n2 files ready, 1 of 1 asset usable (1 file is a copy); no differences\n')
  // What comes next, and a question in words of the files.
  expect(demo.err()).toMatch(/^next:\n[\s\S]* {2}sluice serve --port 8080\n/m)
  expect(demo.left()).toEqual([])
})

test('the reader of the output may end first: nothing is left', async () => {
  const demo = beginDemo()
  await until('it shows something', () => demo.out() !== '', demo.err)
  demo.closeOutput()
  await demo.ended
  expect(demo.left()).toEqual([])
})

function everything(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      join(parentPath, name),
      readFileSync(join(parentPath, name), 'latin1'),
    ]),
  )
}

test('a signal ends a working demo with 3 and leaves nothing behind', async () => {
  // The service stores files of this size outside its database.
  const many = Array.from({ length: 300 }, (_, at) => [
    `f${at}.txt`,
    `line ${at} of it\n`.repeat(6_000),
  ])
  const demo = beginDemo(makeTree(Object.fromEntries(many)))
  await until('the service has bytes of it', () => demo.stored().length > 0, demo.err)
  demo.stop()
  expect(await demo.ended, demo.err()).toBe(3)
  expect(demo.left()).toEqual([])
})

test('an argument that is not a folder is a fault of the command line', async () => {
  const demo = beginDemo('/nowhere/at/all')
  expect([await demo.ended, demo.err()]).toEqual([
    64,
    expect.stringContaining('/nowhere/at/all is not a folder'),
  ])
})
