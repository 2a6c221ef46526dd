import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Fact } from '../../../src/domain/fact.ts'
import type { FileStat } from '../../../src/domain/file.ts'
import type { Ledger, LedgerLimits } from '../../../src/ledger/ledger.ts'
import { openLedger } from '../../../src/ledger/open-ledger.ts'
import { type LedgerView, openLedgerView } from '../../../src/ledger/views/view.ts'
import { FakeClock } from '../../rig/fake-clock.ts'
import { makeStore } from '../../rig/tree.ts'
import { no_limits } from '../fixture.ts'

export const project_id = 'project_0123456789abcdefghij'

export interface Rig {
  clock: FakeClock
  ledger: Ledger
  state_dir: string
  /** A view, closed when the test ends. */
  view(): LedgerView
  /** Records facts of one folder called `notes`, configured and online, at `root`. */
  record(...facts: Fact[]): Promise<void>
  /** Settles a file with bytes of its own, and returns the number of its content. */
  settle(
    path: string,
    options?: { size?: number; md5?: string; folder?: string; mtime_ns?: bigint },
  ): Promise<number>
  /** Takes a file all the way until `ready`. */
  bringIn(path: string, options?: { size?: number; md5?: string }): Promise<number>
  closeLedger(): Promise<void>
}

let contents = 0
export const ticket = {
  upload_url: 'https://blob.example.com/x?sig=SECRET',
  upload_method: 'PUT' as const,
  upload_headers: { 'x-blob': 'SECRET' },
  expires_at_ms: Date.UTC(2030, 0, 1),
}

export function stat(size = 10, mtime_ns = 1_000_000_000n): FileStat {
  return { size, mtime_ns, ctime_ns: 1_000_000_000n, inode: 7n }
}

export function md5Of(number: number): string {
  return number.toString(16).padStart(32, '0')
}

export async function openRig(
  options: {
    root?: string
    limits?: Partial<LedgerLimits>
    state_dir?: string
    offline?: boolean
    clock?: FakeClock
  } = {},
): Promise<Rig> {
  const state_dir = options.state_dir ?? join(makeStore(), 'state')
  const clock = options.clock ?? new FakeClock()
  const ledger = await openLedger({ state_dir, limits: { ...no_limits, ...options.limits }, clock })
  let open = true
  const closeLedger = async () => {
    if (open) await ledger.close()
    open = false
  }
  onTestFinished(closeLedger)
  const root = options.root ?? '/srv/notes'
  const folder = {
    name: 'notes',
    root,
    project_id,
    labels: ['team'],
    label_from: 'first_folder',
    rules: '',
  } as const
  await ledger.record([
    { type: 'folder_configured', folder },
    { type: 'folder_online', folder: 'notes', device: 1n },
  ])
  const settle: Rig['settle'] = async (
    path,
    { size = 10, md5, folder: name = 'notes', mtime_ns } = {},
  ) => {
    contents += 1
    await ledger.record([
      {
        type: 'file_settled',
        folder: name,
        path,
        stat: stat(size, mtime_ns),
        md5: md5 ?? md5Of(contents),
      },
    ])
    return contentAt(state_dir, name, path)
  }
  return {
    clock,
    ledger,
    state_dir,
    closeLedger,
    settle,
    view() {
      const view = openLedgerView(state_dir)
      onTestFinished(() => view.close())
      return view
    },
    record: (...facts) => ledger.record(facts),
    async bringIn(path, about) {
      const content = await settle(path, about)
      await ledger.record([
        { type: 'slot_intended', content },
        { type: 'slot_reserved', content, asset_id: assetOf(content), ticket },
        { type: 'bytes_accepted', content },
        { type: 'ingest_started', content, not_before_ms: clock.now_ms() },
        { type: 'asset_ready', content },
      ])
      return content
    },
  }
}

export function assetOf(content: number): string {
  return `asset_${String(content).padStart(20, '0')}`
}

function contentAt(state_dir: string, folder: string, path: string): number {
  const view = openLedgerView(state_dir)
  try {
    return view.story(folder, path)?.content?.id ?? -1
  } finally {
    view.close()
  }
}
