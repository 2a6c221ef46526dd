import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deliver } from '../../src/deliver/deliver.ts'
import { makeTree } from '../rig/tree.ts'
import { faultOf, message, tools } from './delivery-tools.ts'

const target = (dir: string, file_name = '{{name}}-{{date}}.md') =>
  ({ kind: 'file', name: 'file', dir, file_name }) as const

test('the report becomes one file in a new directory, even if delivered twice', async () => {
  const dir = join(makeTree(), 'reports')
  for (const _ of [1, 2])
    expect(await deliver(target(dir), message(), tools())).toEqual({ ok: true })
  expect(readdirSync(dir)).toEqual(['weekly-digest-2026-11-23.md'])
  const path = join(dir, 'weekly-digest-2026-11-23.md')
  expect(readFileSync(path, 'utf8')).toBe(`${message().text}\n<!-- ${message().id} -->\n`)
  expect(statSync(path).mode & 0o137).toBe(0)
})

test('a name that is taken gets a number; old files stay, and each message has one file', async () => {
  const dir = makeTree({ 'x.md': 'a file of somebody', token: 'secret' })
  const [first, second] = [message(), message({ id: 'run_2' })]
  for (const one of [first, second, first, second]) {
    for (const name of ['x.md', 'token'])
      expect(await deliver(target(dir, name), one, tools())).toEqual({ ok: true })
  }
  expect(readdirSync(dir).sort()).toEqual([
    'token',
    'token-2',
    'token-3',
    'x-2.md',
    'x-3.md',
    'x.md',
  ])
  const read = (name: string) => readFileSync(join(dir, name), 'utf8')
  expect([read('x.md'), read('token')]).toEqual(['a file of somebody', 'secret'])
  expect(read('x-2.md')).toContain(first.id)
  expect(read('x-3.md')).toContain('run_2')
  // A user wrote into the file, so it belongs to that user now.
  writeFileSync(join(dir, 'x-2.md'), `${read('x-2.md')}My note.\n`)
  await deliver(target(dir, 'x.md'), first, tools())
  expect(read('x-2.md')).toContain('My note.')
  expect(read('x-4.md')).toContain(first.id)
})

test('a thousand files of one name are a fault, and none is overwritten', async () => {
  const names = Array.from({ length: 1_000 }, (_, at) => (at === 0 ? 'x.md' : `x-${at + 1}.md`))
  const dir = makeTree(Object.fromEntries(names.map((name) => [name, 'old'])))
  const fault = faultOf(await deliver(target(dir, 'x.md'), message(), tools()))
  expect(fault).toMatchObject({ is_final: false, error: { code: 'delivery.file' } })
  expect(fault.error.message).toContain('1000 files are already called')
  expect(readdirSync(dir)).toHaveLength(1_000)
})

test('creates nothing without the parent directory, whose disk may be unmounted', async () => {
  const root = makeTree()
  const fault = faultOf(await deliver(target(join(root, 'disk/reports')), message(), tools()))
  expect(fault).toMatchObject({ is_final: false, error: { code: 'delivery.file' } })
  expect(existsSync(join(root, 'disk'))).toBe(false)
})

test.each(['../{{name}}', '{{evil}}', '{{dots}}', '{{nothing}}', 'a\0b', `${'ä'.repeat(120)}.md`])(
  'a name that leaves the directory or is none is refused: %j',
  async (file_name) => {
    const root = makeTree({ 'reports/': '' })
    const values = { name: 'n', evil: '/tmp/x', dots: '..', nothing: '' }
    const fault = faultOf(
      await deliver(target(join(root, 'reports'), file_name), message({ values }), tools()),
    )
    expect(fault).toMatchObject({ is_final: true, error: { code: 'delivery.file_name' } })
    expect([readdirSync(root), readdirSync(join(root, 'reports'))]).toEqual([['reports'], []])
  },
)

test('writes neither through a link nor in place of a directory', async () => {
  const root = makeTree({ 'secret.txt': 'old', 'reports/link.md': { link: '../secret.txt' } })
  mkdirSync(join(root, 'reports/dir.md'))
  for (const name of ['link.md', 'dir.md']) {
    const fault = faultOf(await deliver(target(join(root, 'reports'), name), message(), tools()))
    expect(fault).toMatchObject({ is_final: true, error: { code: 'delivery.file' } })
  }
  expect(readFileSync(join(root, 'secret.txt'), 'utf8')).toBe('old')
})

test('a template with an unknown value is a final fault', async () => {
  const fault = faultOf(await deliver(target(makeTree(), '{{nam}}.md'), message(), tools()))
  expect(fault).toMatchObject({ is_final: true, error: { code: 'template.unknown_name' } })
  expect(fault.error.message).toContain('did you mean {{name}}?')
})
