import { type Pulses, unwatched } from '../base/pulse.ts'
import type { Worker } from '../base/worker.ts'
import { large_bytes } from '../disk/examine-wire.ts'
import type { Intake } from './intake.ts'
import { type LookLaneTools, startLookLane } from './look-lane.ts'

const claimed_at_once = 500
/** As many as there are threads to hash them. */
const large_a_folder = 2

/** Looks again at what is due: files that should be quiet by now, files that could not be read, large files that wait to be hashed. */
export function startLooker(
  tools: Omit<LookLaneTools, 'pulses'> & { intake: Intake; pulses?: Pulses },
  signal: AbortSignal,
): Worker {
  const { intake, pulses = unwatched } = tools
  const small = {
    name: 'looker',
    sizes: { from_bytes: 0, below_bytes: large_bytes },
    claimed_at_once,
    files_a_round: claimed_at_once,
    rounds_a_folder: 1,
    look: (folder: string, paths: readonly string[]) => intake.lookAt(folder, paths),
  }
  const large = {
    name: 'looker of large files',
    sizes: { from_bytes: large_bytes, below_bytes: Number.MAX_SAFE_INTEGER },
    claimed_at_once: large_a_folder,
    files_a_round: 1,
    rounds_a_folder: large_a_folder,
    look: (folder: string, [path]: readonly string[]) => intake.lookAtLarge(folder, path!),
  }
  const lanes = [small, large].map((lane) => startLookLane(lane, { ...tools, pulses }, signal))
  return {
    name: small.name,
    wake() {
      for (const lane of lanes) lane.wake()
    },
    ended: Promise.all(lanes.map(({ ended }) => ended)).then(() => {}),
  }
}
