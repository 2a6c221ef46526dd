import type { Pulses } from '../../base/run/pulse.ts'
import { FaultRest, longest_rest_ms, restUntilDue, runWorker } from '../../base/run/worker.ts'
import type { Ledger, SendWork } from '../../ledger/ledger.ts'
import { type SendTools, sendAsset } from './send-asset.ts'
import { createByteGate, createSendPlaces } from './send-places.ts'

type SendOptions = Parameters<Ledger['claimToSend']>[1]

/**
 * Contents in work per parallel call. While most wait for the shared commit of the ledger, others
 * use the network; more contents share one commit at less cost each. The number stays small, so
 * that a new file need not wait for many others. The next claim happens when a third has ended, so
 * a free place never waits for one.
 */
const contents_per_call = 24

/** Bytes of small files in memory: hundreds of documents, and little for the daemon. */
const max_held_bytes = 32 * 2 ** 20

export function startUploader(
  tools: Omit<SendTools, 'places' | 'soft'> & { pulses: Pulses },
  options: {
    calls_most: number
    /** Stops new work; work that waits for its turn is released. */
    signal: AbortSignal
    hard_stop: AbortSignal
  },
) {
  const { ledger, circuits, clock, report, pulses, small_file_bytes } = tools
  const places = createSendPlaces(options.calls_most, clock)
  const memory = createByteGate(max_held_bytes)
  const send_tools: SendTools = { ...tools, places, soft: options.signal }
  // Waiting calls then see the signal.
  options.signal.addEventListener('abort', () => places.letAllIn(), { once: true })
  const sending = new Map<SendWork, Promise<void>>()
  const fault_rest = new FaultRest(clock)
  const isLarge = ({ size }: SendWork) => size > small_file_bytes

  /**
   * False for claimed work after a stop, or while its project's circuit is open. Work that only
   * lacks `complete` continues in a pause: the ledger hands it out even then, and would do so in a
   * loop.
   */
  function mayBegin({ state, project_id }: SendWork): boolean {
    if (options.signal.aborted) return false
    const hosts = ['api', 'blob'] as const
    return !(state === 'sent' ? circuits.restsForTrouble(project_id, hosts) : circuits.rests(project_id, hosts))
  }

  async function sendOne(work: SendWork, is_probe: boolean): Promise<void> {
    const { folder, path } = work.sources[0] ?? { folder: work.project_id, path: `content ${work.content}` }
    // Each upload has its own heartbeat, so an upload of hours does not count as silent while
    // bytes move.
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
      // The file may be gone, so that the service was never asked.
      if (is_probe) circuits.unused()
      pulse.end()
      memory.leave(held_bytes)
      sending.delete(work)
      ledger.release('send', [work.content])
      worker.wake()
    }
  }

  /**
   * Records the intents before the calls, in one commit. A probe without result, or one that could
   * not be recorded, makes place for the next probe.
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
      // Jobs that end wake this worker; without the pause it would loop.
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
    // Large files use only part of the places, so that small ones do not wait for them. None is
    // claimed before it may begin: a slot lives for minutes, and a large upload takes hours.
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
    /** Maximum number of parallel calls at this moment. */
    width: () => places.width(),
    /** Halves the parallel calls. They grow again while that increases the rate. */
    slowDown: () => places.slowDown(),
    /** Resolves when all uploads that have begun are over. */
    async drained() {
      while (sending.size > 0) await Promise.all(sending.values())
    },
  }
}
