import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { system_clock } from '../../src/base/time.ts'
import { runDemo } from '../../src/cli/demo.ts'
import type { Service } from '../../src/service/service.ts'
import { capturedTerminal } from '../cli/captured-terminal.ts'
import { until } from '../waiting.ts'

/** A folder of some thousand files of many kinds and sizes, as most machines have it. */
const folder = '/usr/share/doc'
const blobs_compared = 20

function filesIn(path: string): string[] {
  const { stdout } = spawnSync('find', [path, '-type', 'f', '-print0'], { maxBuffer: 1e9, encoding: 'utf8' })
  return stdout.split('\0').slice(0, -1)
}

function md5Of(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex')
}

test.skipIf(!existsSync(folder))(
  'a big real folder: every file is accounted for, and what arrived is what lies there',
  async () => {
    const { terminal, out } = capturedTerminal()
    const stop = new AbortController()
    let service!: Service
    const ended = runDemo({
      folder,
      stay: true,
      terminal,
      clock: system_clock,
      signals: { first: stop.signal, second: new AbortController().signal },
      on_service(started) {
        service = started
      },
    })
    let is_over = false
    const over = ended.finally(() => {
      is_over = true
    })
    const project_id = await Promise.race([over.then(() => ''), untilItStays(out, () => is_over)])
    const figure = (title: string) =>
      Number(new RegExp(`^ *${title} +([\\d,]+)$`, 'm').exec(out())?.[1]?.replaceAll(',', '') ?? 0)

    try {
      const on_disk = filesIn(folder)
      expect(figure('files on disk')).toBe(on_disk.length)
      expect(on_disk.length - figure('ignored by rule') - figure('skipped')).toBe(figure('ready') + figure('refused'))
      const assets = service.assets(project_id)
      const by_md5 = new Map(on_disk.map((file) => [md5Of(readFileSync(file)), file]))
      expect(assets.map(({ md5 }) => md5).filter((md5) => !by_md5.has(md5!))).toEqual([])
      expect(new Set(assets.map(({ md5 }) => md5)).size).toBe(assets.length)
      for (let round = 0; round < blobs_compared; round++) {
        const asset = assets[Math.floor(Math.random() * assets.length)]!
        const file = by_md5.get(asset.md5!)!
        expect(service.readBlob(asset.asset_id).equals(readFileSync(file)), `${asset.filename} and ${file}`).toBe(true)
      }
    } finally {
      stop.abort()
      expect([0, 3]).toContain(await ended)
    }
  },
  600_000,
)

async function untilItStays(out: () => string, isOver: () => boolean): Promise<string> {
  const project = () => /project_id {2}(project_\w{20})/.exec(out())?.[1]
  await until('it stays, or is over', () => isOver() || project() !== undefined, out, 600_000)
  return project() ?? ''
}
