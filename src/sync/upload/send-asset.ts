import { isSluiceError, messageOf } from '../../base/run/errors.ts'
import type { Heartbeat } from '../../base/run/heartbeat.ts'
import { backoff_ms, second_ms } from '../../base/time/time.ts'
import { type AssetSaid, isUsable, type Ticket } from '../../domain/asset.ts'
import { uploadName } from '../../domain/asset-name.ts'
import type { ContentFact, FileFact } from '../../domain/fact.ts'
import { extensionOf } from '../../domain/file-type.ts'
import type { SendWork } from '../../ledger/ledger.ts'
import { isUnfilled } from '../../remote/assets.ts'
import { givenUpText, type UploadTries } from '../../remote/judge-failure.ts'
import { type Failure, failureText, noteOf, type Outcome } from '../../remote/outcome.ts'
import { type Taken, taken_by_page, withoutTicket } from '../../remote/put-bytes.ts'
import type { ClaimTools } from '../claim-worker.ts'
import type { Bandwidth } from './bandwidth.ts'
import type { Flights } from './flights.ts'
import type { SendPlaces, Step } from './send-places.ts'
import {
  changedFact,
  openSendingSource,
  placeFault,
  type SendingSource,
  type SourceTools,
} from './sending-source.ts'
import type { TypeParameters } from './type-parameters.ts'

export interface SendTools extends SourceTools, Omit<ClaimTools, 'heartbeats'> {
  retry: { first_ms: number; max_ms: number; max_attempts: number }
  follow_first_ms: number
  bandwidth: Bandwidth
  flights: Flights
  places: Pick<SendPlaces, 'call'>
  type_parameters: TypeParameters
  /** Aborts when no new slot may be requested. */
  soft: AbortSignal
}

/** A PUT in the last seconds of its ticket would only fail. */
const ticket_margin_ms = 5 * second_ms

/**
 * Uploads ONE content in steps: verified bytes, a slot (kept or new), PUT, complete. The result of
 * each step is recorded, so that an upload continues from there after a crash.
 */
export async function sendAsset(
  work: SendWork,
  tools: SendTools,
  heartbeat: Heartbeat,
  signal: AbortSignal,
): Promise<void> {
  const { content, project_id, size, attempts } = work
  const { ledger, remote, circuits, clock, report, retry, places } = tools
  let opened: SendingSource | undefined
  let sent: Promise<void> | undefined
  /** True while only `complete` can say whether the store has the bytes. */
  let is_doubtful = false

  try {
    if (mayNotBegin()) return
    if (work.state === 'sent') await complete(work.asset_id!)
    else await sendFromDisk()
  } finally {
    tools.flights.end(content)
    await opened?.close()
  }

  async function sendFromDisk(): Promise<void> {
    const changed: FileFact[] = []
    const source = await openSendingSource(work, tools, heartbeat, changed)
    opened = source
    if (changed.length > 0) await ledger.record(changed)
    if (!source || mayNotBegin()) return
    const slot = await slotFor(source)
    if (!slot) return
    if (!(await put(slot.ticket, source))) return
    await complete(slot.asset_id, slot.ticket)
  }

  /** The earlier slot while its ticket is valid, else a new one, if needed and given. */
  async function slotFor(
    source: SendingSource,
  ): Promise<{ asset_id: string; ticket: Ticket } | undefined> {
    const { state, asset_id, ticket } = work
    const now_ms = clock.now_ms()
    if (ticket && asset_id && ticket.expires_at_ms - ticket_margin_ms > now_ms) {
      // A crash came between the ticket's commit and the ledger's, so record the slot now.
      if (state !== 'reserved') await record({ type: 'slot_reserved', content, asset_id, ticket })
      return { asset_id, ticket }
    }
    if (state === 'reserved') {
      // The next claim requests the new slot.
      await record({ type: 'slot_lost', content, not_before_ms: now_ms })
      return undefined
    }
    return await newSlot(source)
  }

  /**
   * True after a stop, in a pause, or while a circuit that the work needs is open. Work that only
   * lacks `complete` continues in a pause: the ledger hands it out even then, and would do so in a
   * loop.
   */
  function mayNotBegin(): boolean {
    const hosts = ['api', 'blob'] as const
    if (signal.aborted || tools.soft.aborted) return true
    return work.state === 'sent'
      ? circuits.restsForTrouble(project_id, hosts)
      : circuits.rests(project_id, hosts)
  }

  /**
   * Requests a slot; its intent is recorded. Undefined: none is needed or given, or a stop came.
   */
  async function newSlot(
    source: SendingSource,
  ): Promise<{ asset_id: string; ticket: Ticket } | undefined> {
    const { md5, without_md5 } = work
    const folder = tools.folders.get(source.place.folder)!.settings
    const filename = uploadName(folder, source.place.path)
    const asset = { filename, ...(without_md5 ? {} : { md5 }) }
    const create = () =>
      tools.type_parameters.create(project_id, source.mime_type, (mime_type) =>
        remote.createAsset(project_id, { ...asset, mime_type }),
      )
    const outcome = await call('create', async () => (mayNotBegin() ? undefined : create()))
    if (!outcome) return undefined
    if (!outcome.ok) {
      await failed(outcome.failure)
      return undefined
    }
    await circuits.succeeded('create', project_id)
    const created = outcome.value
    if (created.kind === 'exists') {
      await record({ type: 'asset_found', content, asset_id: created.asset_id })
      report.linked(name())
      return undefined
    }
    const { asset_id, ticket } = created
    const given_name = { text: filename, folder: source.place.folder }
    await record({ type: 'slot_reserved', content, asset_id, ticket, given_name })
    return { asset_id, ticket }
  }

  async function put(ticket: Ticket, source: SendingSource): Promise<boolean> {
    let outcome: Outcome<Taken>
    try {
      const body = tools.flights.watch(content, tools.bandwidth.pace(source.body, signal))
      outcome = await call('put', () => remote.putBytes(ticket, body, signal), body.size)
    } catch (error) {
      if (!isSluiceError(error) || !error.code.startsWith('file.')) throw error
      await fileFault(source, error)
      return false
    }
    if (!outcome.ok) {
      await failed(outcome.failure)
      return false
    }
    is_doubtful = outcome.value === 'perhaps'
    if (!is_doubtful) await bytesAccepted()
    return true
  }

  async function bytesAccepted(): Promise<void> {
    await circuits.succeeded('put', project_id)
    // Recorded while `complete` runs: after a crash, the same bytes go into the same slot again.
    sent = record({ type: 'bytes_accepted', content })
    sent.catch(() => {})
  }

  /** `ticket` is absent if an earlier claim sent the bytes. */
  async function complete(asset_id: string, ticket?: Ticket): Promise<void> {
    for (let tries = 0; ; tries++) {
      const outcome = await call('complete', () => remote.completeAsset(project_id, asset_id))
      await sent
      if (outcome.ok) {
        if (is_doubtful) await bytesAccepted()
        await sent
        await circuits.succeeded('complete', project_id)
        await ingestStarted(outcome.value)
        return
      }
      const failure = withoutTicket(outcome.failure, ticket ?? work.ticket)
      if (failure.about !== 'attempt' && failure.about !== 'slot_gone') return failed(failure)
      const goes_on = await afterFailedComplete(asset_id, failure, ticket, tries)
      if (!goes_on) return
    }
  }

  /**
   * Handles the answer that the slot is gone, or that its bytes are missing or wrong. The service's
   * record decides. If it shows no slot either, a new one is requested. Missing bytes are sent once
   * more with the same ticket, then into a new slot. True if they are sent, and `complete` must be
   * called again.
   */
  async function afterFailedComplete(
    asset_id: string,
    failure: Failure,
    ticket: Ticket | undefined,
    tries: number,
  ): Promise<boolean> {
    const read = await heartbeat.during(remote.readAsset(project_id, asset_id))
    if (!read.ok) {
      if (read.failure.about === 'asset_gone') await failed(failure, true)
      else await failed(read.failure)
      return false
    }
    const { status } = read.value
    // On the hosted service, a slot that was never completed also has the status `ingesting`,
    // without size. For a content of one byte, that size shows nothing: only a doubt decides then.
    const sure_size = is_doubtful ? Number.POSITIVE_INFINITY : size
    const is_open =
      status === 'uploaded' ||
      (status !== 'ready' && status !== 'failed' && isUnfilled(read.value, sure_size))
    if (!is_open) {
      if (is_doubtful) await bytesAccepted()
      await sent
      await ingestStarted(read.value)
      return false
    }
    if (is_doubtful) {
      await failed(taken_by_page)
      return false
    }
    if (failure.about === 'slot_gone') {
      // The slot has its bytes, so sending them again would not help.
      await failed(failure)
      return false
    }
    const error = { code: failure.code ?? 'complete_refused', message: failureText(failure) }
    if (!ticket && work.ticket) {
      await record({ type: 'bytes_missing', content, not_before_ms: later(), error })
      return false
    }
    if (!ticket || !opened || tries > 0) {
      await failed(failure, true)
      return false
    }
    return put(ticket, opened)
  }

  async function ingestStarted(said: AssetSaid): Promise<void> {
    const not_before_ms = clock.now_ms() + tools.follow_first_ms
    const started = { type: 'ingest_started', content, not_before_ms } as const
    // The follower finds out why an asset cannot be used.
    const is_ready = isUsable(said)
    const { reading } = said
    await (is_ready ? record(started, { type: 'asset_ready', content, reading }) : record(started))
    report.sent(name(), size)
    if (is_ready) report.ready(name())
  }

  async function fileFault(source: SendingSource, error: unknown): Promise<void> {
    const folder = tools.folders.get(source.place.folder)!.settings
    await ledger.record([changedFact(source.place, folder, tools, placeFault(error))])
    report.later(messageOf(error), name())
  }

  /** Defers the content, lets it rest, or refuses it, as the one judgement says. */
  async function failed(failure: Failure, is_slot_gone = false): Promise<void> {
    if (signal.aborted) return
    const tries = triesOf(is_slot_gone)
    const extension = opened && extensionOf(opened.place.path)
    const concern = { content, upload: { tries, extension } }
    const { blame, fact } = await circuits.failed(failure, project_id, concern)
    const error = noteOf(failure)
    switch (fact) {
      case 'refused':
        return report.refused(error.message, name())
      case 'given_up':
        error.code = 'gave_up'
        error.message = givenUpText(failure, tries)
        await record({ type: 'content_refused', content, error })
        return report.refused(error.message, name())
      case 'rests':
        return report.later(error.message, name())
      default: {
        const lost_or_not = fact === 'slot_lost' ? fact : 'deferred'
        // While another is at fault, it goes to the end of the queue, so that the next probe uses
        // another content: this one may be at fault itself.
        if (blame !== 'none')
          return record({ type: lost_or_not, content, not_before_ms: clock.now_ms() })
        const said = fact === 'untried' ? {} : { error }
        const is_no_try = fact === 'waits'
        const not_before_ms = later(is_no_try ? work.slot_failures : attempts)
        await record({ type: lost_or_not, content, not_before_ms, is_no_try, ...said })
        report.later(error.message, name())
      }
    }
  }

  function triesOf(is_slot_gone: boolean): UploadTries {
    return { ...work, ...retry, is_slot_gone, now_ms: clock.now_ms() }
  }

  function later(failures = attempts): number {
    return clock.now_ms() + backoff_ms(failures, retry)
  }

  function call<Answer>(step: Step, task: () => Promise<Answer>, bytes?: number): Promise<Answer> {
    return heartbeat.during(places.call(step, task, bytes))
  }

  async function record(...facts: ContentFact[]): Promise<void> {
    await ledger.record(facts)
  }

  function name(): string {
    return opened ? `${opened.place.folder}/${opened.place.path}` : work.name
  }
}
