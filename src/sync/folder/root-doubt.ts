import { minute_ms } from '../../base/time/time.ts'
import {
  acknowledgementOn,
  type OnlineRoot,
  type RootChange,
  type RootTrust,
  rootChange,
} from '../../disk/root/root.ts'
import {
  type FoundThere,
  filesThere,
  hasVanished,
  isOtherDisk,
  waitingText,
} from '../../domain/disappearance.ts'
import type { FolderState } from '../../ledger/ledger.ts'
import type { FolderSettings } from '../folder-settings.ts'
import { compareWithKnown, type ScanTools } from './scan-folder.ts'

/** Interval between comparisons of another disk at the root, whose files may appear gradually. */
const doubt_rest_ms = 2 * minute_ms

/** Why a folder is not trusted. `found`: what the user must decide about, once known. */
export interface RootVerdict {
  reason: string
  found?: FoundThere
}

/**
 * Decides whether the disk or directory at a folder's root is the known one (a new mount with
 * another number, or a folder rewritten and swapped in). The ledger keeps the known one until then,
 * so the doubt survives a restart.
 */
export function createRootDoubt(folder: FolderSettings, tools: ScanTools) {
  const { clock, ledger } = tools
  let memory: { last?: { root: string; verdict: RootVerdict; until_ms: number } } = {}

  return {
    /** The recent verdict about the current root, if there is one. */
    remembered({ device, identity }: OnlineRoot): RootVerdict | undefined {
      const { last } = memory
      if (last === undefined || clock.monotonic_ms() >= last.until_ms) return undefined
      return last.root === `${device} ${identity}` ? last.verdict : undefined
    },
    /** Compares the root with the known files. Undefined if it matches or was acknowledged. */
    async compare(
      now: OnlineRoot,
      { state, trust, signal }: { state: FolderState; trust: RootTrust; signal: AbortSignal },
    ): Promise<RootVerdict | undefined> {
      const current = memory
      const { comparing, doubted } = change_texts[rootChange(state, now)]
      const { device, identity } = now
      const is_known_disk = trust === 'check_loss'
      const asked = { state, device, is_known_disk, signal }
      const found = await compareWithKnown(folder, tools, asked)
      if (found === undefined) return { reason: comparing }
      const after = await ledger.folder(state.name)
      if (acknowledgementOn(now, after?.disappearance)) return undefined
      const { evidence: known } = state
      const is_other =
        trust === 'other_disk' || (trust === 'compare' && isOtherDisk({ known, met: found.met }))
      if (!is_other && !hasVanished(found, tools)) return undefined
      const met = is_other
        ? { ...found, missing: Math.max(found.missing, found.known - found.met) }
        : found
      const verdict = {
        reason: `${doubted}: ${waitingText(state.name, met)}`,
        found: { device, identity, files: filesThere(met) },
      }
      // Not if it was forgotten meanwhile: that request wants a comparison that begins later.
      current.last = {
        root: `${device} ${identity}`,
        verdict,
        until_ms: clock.monotonic_ms() + doubt_rest_ms,
      }
      return verdict
    },
    forget(): void {
      memory = {}
    },
  }
}

const other_disk = {
  comparing: 'another disk is mounted here; Sluice compares it with the known files',
  doubted: 'another disk is mounted here, or none',
}

/** Texts for users, for the time of the comparison and for its result. */
export const change_texts: Record<RootChange, { comparing: string; doubted: string }> = {
  none: { ...other_disk, doubted: 'most of it is gone, or another disk is mounted here' },
  other_disk,
  other_root: {
    comparing: 'this is another directory or another disk; Sluice compares it with the known files',
    doubted: 'this is another directory, or another disk',
  },
}

export function isComparing(reason: string): boolean {
  return Object.values(change_texts).some(({ comparing }) => reason === comparing)
}
