import { join } from 'node:path'
import { expect } from 'vitest'
import type { Service } from '../../rig/local-service.ts'
import { filesOnDisk } from './disk-truth.ts'
import type { FileView } from './ledger-view.ts'

/** An asset as the service stores it, with fields that its interface does not show. */
export type StoredAsset = ReturnType<Service['assets']>[number]

/** Name (folder and path) -> md5 of every file that should be uploaded. */
export function wantedOnDisk(
  base: string,
  folders: readonly string[],
  left_out: readonly string[],
) {
  const found = new Map<string, string>()
  for (const folder of folders) {
    for (const [path, md5] of filesOnDisk(join(base, folder))) found.set(`${folder}/${path}`, md5)
  }
  for (const name of left_out) found.delete(name)
  return found
}

/** Wanted files that are not ready with the bytes on the disk, each with its stage. */
export function notReady(
  on_disk: ReadonlyMap<string, string>,
  files: readonly FileView[],
): string[] {
  const by_name = new Map(files.map((file) => [file.name, file]))
  return [...on_disk].flatMap(([name, md5]) => {
    const file = by_name.get(name)
    return file?.stage === 'ready' && file.md5 === md5
      ? []
      : [`${name}: ${file?.stage ?? 'unknown'}`]
  })
}

/** Checks what must hold at the end of every journey. */
export function checkEnd(end: {
  service: Service
  /** Assets with bytes. */
  assets: readonly StoredAsset[]
  files: readonly FileView[]
  on_disk: ReadonlyMap<string, string>
  also_there: readonly string[]
  /**
   * Some uploads were killed, or given up because the file changed: their bytes may lie in slots
   * that were never completed.
   */
  half_sent: boolean
  log: string
}): void {
  const { service, assets, files, on_disk, also_there, half_sent, log } = end
  expect(service.blobFaults, 'what a correct client never asks of a blob store').toEqual({
    count: 0,
    reasons: [],
  })
  expect(notReady(on_disk, files), 'files on the disk that are not ready').toEqual([])
  const alive = assets.filter(
    ({ status }) => status !== 'failed' && !(half_sent && status === 'uploaded'),
  )
  expect(alive.filter(({ status }) => status !== 'ready')).toEqual([])
  // There is one asset for each content, and each content on the disk has one.
  const wanted = new Set([...on_disk.values(), ...also_there])
  expect(alive.map(({ md5 }) => md5).sort()).toEqual([...wanted].sort())
  expect(log, 'the log names a token').not.toMatch(/pat_[A-Za-z0-9]{32}/)
  expect(log, 'the log names a signed URL').not.toMatch(/\/objects\/\w+\?(?!\*\*\*)/)
}
