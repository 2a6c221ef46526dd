import type { Pulses } from '../../base/run/pulse.ts'
import { FaultRest, longest_rest_ms, restUntilDue, runWorker } from '../../base/run/worker.ts'
import type { Ledger, SendWork } from '../../ledger/ledger.ts'
import { type SendTools, sendAsset } from './send-asset.ts'
import { createByteGate, createSendPlaces } from './send-places.ts'

type SendOptions = Parameters<Ledger['claimToSend']>[1]

/**
 * Contents for each call that may be out: while most wait for the ledger's commit, which they share, others use the line; the more
 * they are, the fewer commits each of them pays for. So few, that what is saved now does not wait for a long row of others. More
 * are claimed when a third of them has ended: a free place on the line never waits for a claim.
 */
const contents_per_call = 24

/** Of small files, in memory at once: hundreds of usual documents, and little beside what the daemon needs anyway. */
const max_held_bytes = 32 * 2 ** 20

export function startUploader(
  tools: Omit<SendTools, 'places' | 'soft'> & { pulses: Pulses },
  options: {
    calls_most: number
    /** Begin nothing new: work that waits for its turn is released. */
    signal: AbortSignal
    hard_stop: AbortSignal
  },
) {
  const { ledger, circuits, clock, report, pulses, small_file_bytes } = tools
  const places = createSendPlaces(options.calls_most, clock)
  const memory = createByteGate(max_held_bytes)
  const send_tools: SendTools = { ...tools, places, soft: options.signal }
  // Those who wait for a place see the signal.
  options.signal.addEventListener('abort', () => places.letAllIn(), { once: true })
  const sending = new Map<SendWork, Promise<void>>()
  const fault_rest = new FaultRest(clock)
  const isLarge = ({ size }: SendWork) => size > small_file_bytes

  /**
   * Work that was claimed ahead does not begin after a stop, nor while its project rests. What only
   * lacks `complete` goes on in a pause: the ledger hands it out there, and would do so again and
   * again.
   */
  function mayBegin({ state, project_id }: SendWork): boolean {
    if (options.signal.aborted) return false
    const hosts = ['api', 'blob'] as const
    return !(state === 'sent' ? circuits.restsForTrouble(project_id, hosts) : circuits.rests(project_id, hosts))
  }

  async function sendOne(work: SendWork, is_probe: boolean): Promise<void> {
    const { folder, path } = work.sources[0] ?? { folder: work.project_id, path: `content ${work.content}` }
    // What an upload waits for answers for itself: one that takes hours is no silence while its bytes move.
    const pulse = pulses.begin(`upload of ${folder}/${path}`)
    const held_bytes = isLarge(work) || work.state === 'sent' ? 0 : work.size
    await pulse.during(memory.enter(held_bytes))
    try {
      if (mayBegin(work)) await sendAsset(work, send_tools, pulse, options.hard_stop)
      fault_rest.succeeded()
    } catch (error) {
      if (!options.hard_stop.aborted) report.fault('upload', error)
      fault_rest.failed()
    } finally {
      // The file may be gone, and the service was never asked.
      if (is_probe) circuits.unused()
      pulse.end()
      memory.leave(held_bytes)
      sending.delete(work)
      ledger.release('send', [work.content])
      worker.wake()
    }
  }

  /**
   * Intent before the call that makes something, in one commit for all of them. A probe that comes to
   * nothing, or that could not be recorded, leaves the next one free.
   */
  async function takeWork(limit: number, options: SendOptions): ReturnType<Ledger['claimToSend']> {
    let work: SendWork[] = []
    try {
      const claimed = await ledger.claimToSend(limit, options)
      work = claimed.work
      const intents = work.filter(({ state }) => state === 'wanted')
      if (intents.length > 0)
        await ledger.record(intents.map(({ content }) => ({ type: 'slot_intended' as const, content })))
      if (options.is_probe && work.length === 0) circuits.unused()
      return claimed
    } catch (error) {
      if (options.is_probe) circuits.unused()
      ledger.release(
        'send',
        work.map(({ content }) => content),
      )
      throw error
    }
  }

  async function step(): Promise<{ wait_ms: number }> {
    const rest_ms = fault_rest.left_ms()
    if (rest_ms > 0) {
      // Jobs that end wake this worker; without the rest they would make it spin.
      await clock.sleep(rest_ms, options.signal)
      return { wait_ms: 0 }
    }
    const at_once = places.width() * contents_per_call
    const room = at_once - sending.size
    if (room < at_once / 3) return { wait_ms: longest_rest_ms }
    const { limit, wait_ms, except_projects } = circuits.allowance(['api', 'blob'])
    if (limit === 0) return { wait_ms }
    if (limit === 1 && sending.size > 0) {
      circuits.unused()
      return { wait_ms: longest_rest_ms }
    }
    // Large ones take part of the places, so that the small ones are not stuck behind them. None is
    // claimed before it may begin: a slot lives for minutes, a large upload takes hours.
    const large_in_flight = [...sending.keys()].filter(isLarge).length
    const large = { over_bytes: small_file_bytes, most: Math.max(0, places.maxLarge() - large_in_flight) }
    const is_probe = limit === 1
    const { work, next_due_ms } = await takeWork(Math.min(room, limit), { except_projects, large, is_probe })
    for (const item of work) sending.set(item, sendOne(item, is_probe))
    if (work.length === 0) await circuits.nothingToSend()
    if (work.length > 0) return { wait_ms: is_probe ? longest_rest_ms : 0 }
    return restUntilDue(next_due_ms, clock)
  }

  const worker = runWorker({
    name: 'uploader',
    step,
    clock,
    signal: options.signal,
    pulses,
    on_error: (error) => report.fault('uploader', error),
  })
  return {
    worker,
    inFlight: () => sending.size,
    /** How many calls may be out at once now. */
    width: () => places.width(),
    /** Halves what is out at once; it grows back while that helps. */
    slowDown: () => places.slowDown(),
    /** Resolves when what was begun has ended. */
    async drained() {
      while (sending.size > 0) await Promise.all(sending.values())
    },
  }
}
