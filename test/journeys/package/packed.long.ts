import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { makeTree } from '../../rig/tree.ts'
import { installPacked, type Packed, packProject } from './pack.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

describe('the packed program', () => {
  let packed: Packed
  beforeAll(() => {
    packed = packProject(makeTree())
  })

  test('holds its own files, and no others', () => {
    const others = packed.files.filter((path) => !path.startsWith('dist/'))
    expect(others.filter((path) => !/^(config|docs|systemd)\//.test(path)).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'package.json',
      // The compiler copies only what it compiles.
      'src/page/assets/icon.svg',
      'src/page/assets/page.css',
      'src/page/assets/page.js',
    ])
    for (const path of ['docs/config.md', 'config/sluice.example.yaml', 'systemd/sluice.service']) {
      expect(others).toContain(path)
    }
    for (const path of packed.files.filter((file) => file.startsWith('dist/'))) {
      const source = path.replace(/^dist\/(.*)\.js$/, 'src/$1.ts')
      expect(existsSync(join(root, source)), `${path} has no source`).toBe(true)
    }
  })

  test('installs without development dependencies, and runs', () => {
    const prefix = makeTree()
    const said = installPacked(packed.file, prefix)
    expect(said).not.toMatch(/EBADENGINE|deprecated/)
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const sluice = (...words: string[]) => {
      const { status, stdout, stderr } = spawnSync(join(prefix, 'bin/sluice'), words, {
        encoding: 'utf8',
        cwd: prefix,
      })
      return { status, stdout, stderr }
    }
    expect(sluice('version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })
    expect(sluice('demo', '--help').stdout).toContain('sluice demo [folder]')
    expect(existsSync(join(prefix, 'lib/node_modules/sluice/node_modules/vitest'))).toBe(false)
    // The demo needs every part: SQLite, the threads and the service.
    const demo = sluice('demo')
    expect([demo.status, demo.stderr]).toEqual([0, expect.any(String)])
  })
})
