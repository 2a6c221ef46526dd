import { rmSync } from 'node:fs'
import { SluiceError } from '../../base/run/errors.ts'
import type { Log } from '../../base/text/log.ts'
import { aborted, type Clock } from '../../base/time/time.ts'
import type { Config, FolderConfig } from '../../config/config.ts'
import type { Secrets } from '../../config/secrets.ts'
import { uploadName } from '../../domain/asset-name.ts'
import { conditionOfLedger, type LedgerCondition, putRebuiltInPlace } from '../../ledger/backup.ts'
import {
  giveToOwner,
  ledgerFile,
  lockLedger,
  makeStateDirectory,
  rebuildDirectory,
  removeDatabase,
} from '../../ledger/file/state-directory.ts'
import { openLedgerView } from '../../ledger/views/view.ts'
import { walkAssets } from '../../remote/assets.ts'
import { openRemote } from '../../remote/open-remote.ts'
import type { Remote } from '../../remote/remote.ts'
import { startDaemon } from '../daemon.ts'
import type { Drained } from '../drain.ts'
import type { Daemon } from '../running-daemon.ts'

export interface RebuildOptions {
  config: Config
  secrets: Secrets
  clock: Clock
  log: Log
  /** Stops the rebuild. The next try continues from what is done. */
  signal: AbortSignal
  /** Aborts if the stop must not wait for work in flight either. */
  at_once: AbortSignal
  /** The daemon that fills the new ledger has started, with its own `config.state_dir`. */
  onBegun?: (daemon: Daemon) => Promise<void>
  /** Called before that daemon stops, also after an error. */
  onEnding?: () => Promise<void>
}

export type RebuildEnd =
  /** `aside`: new name of the damaged ledger; undefined if there was none. */
  | { done: true; aside: string | undefined }
  /** The ledger is not replaced yet. The next try continues. */
  | { done: false; error: SluiceError | undefined }

/** Rows per query. */
const page_rows = 1_000

/**
 * Rebuilds a lost ledger: an ordinary pass over all folders fills a new one. It replaces the lost
 * one only when it is complete, so that no half ledger seems sound. The service matches contents by
 * md5, so only missing ones are uploaded. Prompts restore what their reports cover from manifests.
 * Errors: `ledger.locked`, `usage.sound_ledger`, `account.*`, `database.*`.
 */
export async function rebuildLedger(options: RebuildOptions): Promise<RebuildEnd> {
  const { state_dir } = options.config
  makeStateDirectory(state_dir)
  const lock = lockLedger(state_dir, 'sluice rebuild')
  try {
    const new_dir = rebuildDirectory(state_dir)
    const condition = conditionOfLedger(state_dir)
    // An earlier try left this directory; it belongs to a ledger before this one.
    if (condition === 'sound') rmSync(new_dir, { recursive: true, force: true })
    refuseSound(state_dir, condition)
    const drained = await makeAnew(options, new_dir)
    if (drained === 'stopped') return { done: false, error: undefined }
    if (!isWhole(drained)) return { done: false, error: drained.error }
    // A ledger without data would be kept as a damaged one.
    if (condition === 'none') removeDatabase(ledgerFile(state_dir))
    const aside = putRebuiltInPlace(state_dir, new_dir, options.clock.now_ms())
    rmSync(new_dir, { recursive: true })
    giveToOwner(state_dir)
    return { done: true, aside }
  } finally {
    lock.release()
  }
}

function refuseSound(state_dir: string, condition: LedgerCondition): void {
  if (condition !== 'sound') return
  throw new SluiceError({
    code: 'usage.sound_ledger',
    message: `the ledger in ${state_dir} is sound: there is nothing to rebuild`,
    hint: '`sluice sync` checks every file again; to rebuild without the present ledger, move ledger.db away first',
  })
}

async function makeAnew(options: RebuildOptions, new_dir: string): Promise<Drained | 'stopped'> {
  const { config, secrets, clock, log, signal, at_once, onBegun, onEnding } = options
  // The upload limit counts new contents. In a rebuild all are new, and almost none is uploaded.
  const anew = {
    ...config,
    state_dir: new_dir,
    uploads: { ...config.uploads, limit: 'off' as const },
  }
  const daemon = await startDaemon({
    config: anew,
    secrets,
    clock,
    log,
    mode: 'once',
    asks_by_hand: true,
  })
  const stopped = aborted(signal).then(() => 'stopped' as const)
  try {
    await onBegun?.(daemon)
    const first = await Promise.race([daemon.drained, stopped])
    if (first === 'stopped' || !isWhole(first)) return first
    return await Promise.race([acceptKnown(daemon, anew, options).then(() => first), stopped])
  } finally {
    await onEnding?.()
    await Promise.race([daemon.stop(), aborted(at_once).then(() => daemon.abort())])
  }
}

/** True also if the service still reads assets: the next daemon or pass follows them. */
function isWhole(drained: Drained): drained is Extract<Drained, { why: 'done' | 'still_reading' }> {
  return drained.why === 'done' || drained.why === 'still_reading'
}

/**
 * A first scan skips files older than `start`, and every scan into a new ledger is a first one. If
 * the service has an asset with the file's name and size, the file was allowed before, so it is
 * accepted. If its bytes differ, they are uploaded as a new version, as usual.
 */
async function acceptKnown(
  daemon: Daemon,
  config: Config,
  { secrets, clock }: RebuildOptions,
): Promise<void> {
  const left_out = leftOut(config)
  if (left_out.size === 0) return
  const remote = await openRemote(config, () => secrets.token(), clock)
  try {
    for (const project_id of new Set(
      [...left_out.values()].map(({ folder }) => folder.project_id),
    )) {
      await acceptListed(daemon, remote, project_id, left_out)
    }
  } finally {
    await remote.close()
  }
  await daemon.idle()
}

interface LeftOut {
  folder: FolderConfig
  path: string
}

/** Files skipped as too old (`start`), by project, name on the service and size. */
function leftOut(config: Config): Map<string, LeftOut> {
  const found = new Map<string, LeftOut>()
  const view = openLedgerView(config.state_dir)
  try {
    for (const folder of config.folders.filter(({ start }) => start.kind !== 'all')) {
      for (let after: string | undefined; ; ) {
        const query = {
          folder: folder.name,
          prefix: '',
          stages: ['skipped'] as const,
          after,
          limit: page_rows,
        }
        const files = view.files(query)
        for (const { path, size, reason } of files) {
          if (reason === 'before_start')
            found.set(keyOf(folder.project_id, uploadName(folder, path), size), { folder, path })
        }
        if (files.length < page_rows) break
        after = files.at(-1)!.path
      }
    }
  } finally {
    view.close()
  }
  return found
}

async function acceptListed(
  daemon: Daemon,
  remote: Remote,
  project_id: string,
  left_out: ReadonlyMap<string, LeftOut>,
): Promise<void> {
  for await (const listed of walkAssets(remote, project_id, Number.POSITIVE_INFINITY)) {
    if (!listed.ok) {
      const message = `the assets of ${project_id} cannot be listed: ${listed.failure.message}`
      throw new SluiceError({
        code: 'service.unreachable',
        message,
        hint: 'run `sluice rebuild` again to continue',
      })
    }
    const known = listed.value.items.flatMap(({ filename, shown_name, size_in_bytes }) => {
      // A moved file gave a later name; a user may have given another one.
      const file = [shown_name, filename]
        .map((name) => left_out.get(keyOf(project_id, name ?? '', size_in_bytes ?? -1)))
        .find((found) => found !== undefined)
      return file ? [{ type: 'accepted' as const, folder: file.folder.name, path: file.path }] : []
    })
    if (known.length > 0) await daemon.ledger.record(known)
  }
}

function keyOf(project_id: string, filename: string, size: number): string {
  return JSON.stringify([project_id, filename, size])
}
