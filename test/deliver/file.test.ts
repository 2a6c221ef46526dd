import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deliver } from '../../src/deliver/deliver.ts'
import { makeTree } from '../tree.ts'
import { faultOf, message, tools } from './delivery-tools.ts'

const target = (dir: string, file_name = '{{name}}-{{date}}.md') =>
  ({ kind: 'file', name: 'file', dir, file_name }) as const

test('the report becomes one file, in a directory that is made; delivered twice, it is still one', async () => {
  const dir = join(makeTree(), 'reports')
  for (const _ of [1, 2]) expect(await deliver(target(dir), message(), tools())).toEqual({ ok: true })
  expect(readdirSync(dir)).toEqual(['weekly-digest-2026-11-23.md'])
  const path = join(dir, 'weekly-digest-2026-11-23.md')
  expect(readFileSync(path, 'utf8')).toBe(message().text)
  expect(statSync(path).mode & 0o137).toBe(0)
})

test('where the parent is missing nothing is made: its disk may come back', async () => {
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
    const fault = faultOf(await deliver(target(join(root, 'reports'), file_name), message({ values }), tools()))
    expect(fault).toMatchObject({ is_final: true, error: { code: 'delivery.file_name' } })
    expect([readdirSync(root), readdirSync(join(root, 'reports'))]).toEqual([['reports'], []])
  },
)

test('nothing is written through a link, nor in place of a directory', async () => {
  const root = makeTree({ 'secret.txt': 'old', 'reports/link.md': { link: '../secret.txt' } })
  mkdirSync(join(root, 'reports/dir.md'))
  for (const name of ['link.md', 'dir.md']) {
    const fault = faultOf(await deliver(target(join(root, 'reports'), name), message(), tools()))
    expect(fault).toMatchObject({ is_final: true, error: { code: 'delivery.file' } })
  }
  expect(readFileSync(join(root, 'secret.txt'), 'utf8')).toBe('old')
})

test('a template that asks for what there is not is final, and says so', async () => {
  const fault = faultOf(await deliver(target(makeTree(), '{{nam}}.md'), message(), tools()))
  expect(fault).toMatchObject({ is_final: true, error: { code: 'template.unknown_name' } })
  expect(fault.error.message).toContain('did you mean {{name}}?')
})
