import { type Pulses, unwatched } from '../base/pulse.ts'
import type { Worker } from '../base/worker.ts'
import type { Intake } from './intake.ts'
import { type LookLane, type LookLaneTools, startLookLane } from './look-lane.ts'

/** Looks again at what is due: files that should be quiet by now, files that could not be read, large files that wait to be hashed. */
export function startLooker(
  tools: Omit<LookLaneTools, 'pulses'> & { intake: Intake; pulses?: Pulses },
  signal: AbortSignal,
): Worker {
  const { intake, pulses = unwatched } = tools
  const small: LookLane = {
    name: 'looker',
    size: 'small',
    files_a_round: 500,
    rounds_a_folder: 1,
    look: (folder: string, paths: readonly string[]) => intake.lookAt(folder, paths),
  }
  const large: LookLane = {
    name: 'looker of large files',
    size: 'large',
    files_a_round: 1,
    // As many as there are threads to hash them.
    rounds_a_folder: 2,
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
