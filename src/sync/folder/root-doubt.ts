import { minute_ms } from '../../base/time/time.ts'
import { type OnlineRoot, wordOn } from '../../disk/root/mount.ts'
import { type RootChange, type RootTrust, rootChange } from '../../disk/root/root-trust.ts'
import { type FoundThere, filesThere, hasVanished, isOtherDisk, waitingText } from '../../domain/disappearance.ts'
import type { FolderState } from '../../ledger/ledger.ts'
import type { FolderSettings } from '../folder-settings.ts'
import { compareWithKnown, type ScanTools } from './scan-folder.ts'

/**
 * Another disk stands where the known one stood: it is compared again after this, should it fill up
 * by and by.
 */
const doubt_rest_ms = 2 * minute_ms

/**
 * Why a folder is not believed. `found`: what a person is asked about; absent while it is still
 * being found out.
 */
export interface RootVerdict {
  reason: string
  found?: FoundThere
}

/**
 * Whether the disk or directory that now stands at a folder's root is the one that is known
 * (mounted anew, by another number; put there by who writes a folder anew and swaps it in). The
 * ledger keeps the known one until then, so the doubt outlives this process.
 */
export function createRootDoubt(folder: FolderSettings, tools: ScanTools) {
  const { clock, ledger } = tools
  let last: { root: string; verdict: RootVerdict; until_ms: number } | undefined

  return {
    /** The verdict of a moment ago about the root that stands here. */
    remembered({ device, identity }: OnlineRoot): RootVerdict | undefined {
      if (last === undefined || clock.monotonic_ms() >= last.until_ms) return undefined
      return last.root === `${device} ${identity}` ? last.verdict : undefined
    },
    /**
     * Walks it and holds it against what is known; undefined where it is that, or a person said
     * that it is right.
     */
    async compare(
      now: OnlineRoot,
      { state, trust, signal }: { state: FolderState; trust: RootTrust; signal: AbortSignal },
    ): Promise<RootVerdict | undefined> {
      const { comparing, doubted } = change_texts[rootChange(state, now)]
      const found = await compareWithKnown(folder, tools, { state, device: now.device, signal })
      if (found === undefined) return { reason: comparing }
      const after = await ledger.folder(state.name)
      if (wordOn(now, after?.disappearance)) return undefined
      const { known_files: known } = state
      const is_other = trust === 'other_disk' || (trust === 'compare' && isOtherDisk({ known, met: found.met }))
      if (!is_other && !hasVanished(found, tools)) return undefined
      const { device, identity } = now
      const met = is_other ? { ...found, missing: Math.max(found.missing, found.known - found.met) } : found
      const verdict = {
        reason: `${doubted}: ${waitingText(state.name, met)}`,
        found: { device, identity, files: filesThere(met) },
      }
      last = { root: `${device} ${identity}`, verdict, until_ms: clock.monotonic_ms() + doubt_rest_ms }
      return verdict
    },
    forget(): void {
      last = undefined
    },
  }
}

/**
 * True where the ledger waits for the user about exactly this, and no acknowledgement of something
 * else stands there.
 */
export function isAskedAbout({ disappearance: asked }: FolderState, { found }: RootVerdict): boolean {
  if (asked === undefined || found === undefined) return asked === found
  const { device, identity, files, is_accepted } = asked
  return !is_accepted && device === found.device && identity === found.identity && files === found.files
}

const other_disk = {
  comparing: 'another disk is mounted here; it is compared with what is known',
  doubted: 'another disk is mounted here, or none',
}

/**
 * For people. `comparing`: while the two are compared, also when all looks the same again;
 * `doubted`: what came of it.
 */
export const change_texts: Record<RootChange, { comparing: string; doubted: string }> = {
  none: { ...other_disk, doubted: 'most of it is gone, or another disk is mounted here' },
  other_disk,
  other_root: {
    comparing: 'another directory stands here, or another disk; it is compared with what is known',
    doubted: 'another directory stands here, or another disk',
  },
}

export function isComparing(reason: string): boolean {
  return Object.values(change_texts).some(({ comparing }) => reason === comparing)
}
