import type { Heartbeats } from '../../base/run/heartbeat.ts'
import { createFaultRest, longest_rest_ms, restUntilDue, runWorker } from '../../base/run/worker.ts'
import type { SendWork } from '../../ledger/ledger.ts'
import { contentThing, unlessRefused } from '../../ledger/refused-facts.ts'
import { type SendTools, sendAsset } from './send-asset.ts'
import { createByteGate, createSendPlaces } from './send-places.ts'
import { TypeParameters } from './type-parameters.ts'

/**
 * Contents in work per parallel call. While most wait for the shared commit of the ledger, others
 * use the network; more contents share one commit at less cost each. The number stays small, so
 * that a new file need not wait for many others. The next claim happens when a third has ended, so
 * a free place never waits for one.
 */
const contents_per_call = 24

/** Bytes of small files in memory: hundreds of documents, and little for the daemon. */
const max_held_bytes = 32 * 2 ** 20

interface UploaderOptions {
  max_calls: number
  /** Aborts when no new work may begin; work that waits for its turn is released. */
  soft: AbortSignal
  /** Aborts when running work must be dropped. */
  hard: AbortSignal
}

export function startUploader(
  tools: Omit<SendTools, 'places' | 'soft' | 'type_parameters'> & { heartbeats: Heartbeats },
  { max_calls, soft, hard }: UploaderOptions,
) {
  const { ledger, circuits, clock, report, heartbeats, small_file_bytes } = tools
  const sending = new Map<SendWork, Promise<void>>()
  const isLarge = ({ size }: SendWork) => size > small_file_bytes
  const needsSlot = ({ state }: SendWork) => state === 'wanted' || state === 'reserving'
  let large_in_flight = 0
  const places = createSendPlaces(max_calls, clock, () => large_in_flight)
  const memory = createByteGate(max_held_bytes)
  const type_parameters = new TypeParameters()
  const send_tools: SendTools = { ...tools, places, soft, type_parameters }
  // Waiting calls then see the signal.
  soft.addEventListener('abort', () => places.letAllIn(), { once: true })
  const fault_rest = createFaultRest(clock)

  /** `intended`: resolves when the intent of its call for a slot is recorded. */
  async function sendOne(
    work: SendWork,
    intended: Promise<void>,
    is_probe: boolean,
  ): Promise<void> {
    // Each upload has its own heartbeat, so an upload of hours does not count as silent while
    // bytes move.
    const heartbeat = heartbeats.begin(`upload of ${work.name}`)
    const held_bytes = isLarge(work) || work.state === 'sent' ? 0 : work.size
    if (isLarge(work)) large_in_flight++
    await heartbeat.during(memory.enter(held_bytes))
    try {
      if (needsSlot(work)) await heartbeat.during(intended)
      if (!ledger.rests(contentThing(work.content)))
        await sendAsset(work, send_tools, heartbeat, hard)
      fault_rest.succeeded()
    } catch (error) {
      if (!hard.aborted) report.fault('upload', error)
      fault_rest.failed()
    } finally {
      // The file may be gone, so that no call was made. The next claim may then be the probe.
      if (is_probe) circuits.unused()
      heartbeat.end()
      if (isLarge(work)) large_in_flight--
      memory.leave(held_bytes)
      sending.delete(work)
      // The ledger then wakes this worker.
      ledger.release('send', [work.content])
    }
  }

  /**
   * Records the intents before the calls, in one commit for all. A content with an earlier intent
   * gets another one: a ledger that cannot write then requests no slot. One whose intent is refused
   * rests.
   */
  async function intend(work: readonly SendWork[]): Promise<void> {
    const without_slot = work.filter(needsSlot)
    const intents = without_slot.map(({ content }) => ({ type: 'slot_intended' as const, content }))
    if (intents.length > 0) await unlessRefused(ledger.record(intents))
  }

  async function step(): Promise<{ wait_ms: number }> {
    const rest_ms = fault_rest.left_ms()
    if (rest_ms > 0) {
      // Jobs that end wake this worker; without the pause it would loop.
      await clock.sleep(rest_ms, soft)
      return { wait_ms: 0 }
    }
    const at_once = places.width() * contents_per_call
    const room = at_once - sending.size
    if (room < at_once / 3) return { wait_ms: longest_rest_ms }
    const { limit, wait_ms, except_projects } = circuits.allowance(['api', 'blob'])
    if (limit === 0) return { wait_ms }
    const is_probe = limit === 1
    let work: readonly SendWork[] = []
    try {
      // A large upload that goes on for hours must not delay the probe.
      if (is_probe && sending.size > large_in_flight) return { wait_ms: longest_rest_ms }
      // Large files use only part of the places, so that small ones do not wait for them. None is
      // claimed before it may begin: a slot lives for minutes, and a large upload takes hours.
      const large = {
        over_bytes: small_file_bytes,
        max: Math.max(0, places.maxLarge() - large_in_flight),
      }
      const claimed = await ledger.claimToSend(Math.min(room, limit), {
        except_projects,
        large,
        is_probe,
      })
      work = claimed.work
      const intended = intend(work)
      // Each upload reports the error, perhaps only after a wait for memory.
      intended.catch(() => {})
      for (const item of work) sending.set(item, sendOne(item, intended, is_probe))
      if (work.length > 0) return { wait_ms: 0 }
      await circuits.nothingToSend()
      return restUntilDue(claimed.next_due_ms, clock)
    } finally {
      // The probe made no call, so the next claim may be the probe.
      if (is_probe && work.length === 0) circuits.unused()
    }
  }

  const worker = runWorker({
    name: 'uploader',
    step,
    clock,
    signal: soft,
    heartbeats,
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
