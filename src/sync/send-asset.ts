import { isSluiceError, messageOf } from '../base/errors.ts'
import { backoff_ms, type Clock, second_ms } from '../base/time.ts'
import type { ContentFact, FileFact } from '../domain/fact.ts'
import type { Ticket } from '../domain/ticket.ts'
import type { Ledger, SendWork } from '../ledger/ledger.ts'
import type { Created } from '../remote/assets.ts'
import type { Failure, Outcome } from '../remote/outcome.ts'
import type { Remote } from '../remote/remote.ts'
import type { Bandwidth } from './bandwidth.ts'
import type { Circuits } from './circuits.ts'
import { isUnfilled } from './follow-verdict.ts'
import { givenUp, isSlotGivenUp, textOf, withoutTicket } from './give-up.ts'
import type { SyncReport } from './report.ts'
import type { SendPlaces, Step } from './send-places.ts'
import { changedFact, openSendingSource, placeFault, type SendingSource, type SourceTools } from './sending-source.ts'
import { uploadName } from './upload-name.ts'

export interface SendTools extends SourceTools {
  ledger: Ledger
  remote: Remote
  circuits: Circuits
  clock: Clock
  report: SyncReport
  retry: { first_ms: number; most_ms: number; max_attempts: number }
  follow_first_ms: number
  bandwidth: Bandwidth
  places: Pick<SendPlaces, 'call' | 'large'>
  /** Asks for no new slot once it has aborted. */
  soft: AbortSignal
}

/** A PUT begun in the last seconds of its ticket would only fail. */
const ticket_margin_ms = 5 * second_ms

/**
 * The steps for ONE content, in order: bytes that can be trusted, a slot (kept or new), PUT, complete. Every step is recorded
 * before the next begins, so that a crash anywhere goes on from where it was.
 */
export async function sendAsset(work: SendWork, tools: SendTools, signal: AbortSignal): Promise<void> {
  const sender = new Sender(work, tools, signal)
  try {
    if (work.state === 'sent') await sender.complete(work.asset_id!)
    else await sender.sendFromDisk()
  } finally {
    await sender.end()
  }
}

class Sender {
  readonly #work: SendWork
  readonly #tools: SendTools
  readonly #signal: AbortSignal
  #source: SendingSource | undefined
  #sent: Promise<void> | undefined

  constructor(work: SendWork, tools: SendTools, signal: AbortSignal) {
    this.#work = work
    this.#tools = tools
    this.#signal = signal
  }

  async end(): Promise<void> {
    await this.#source?.close()
  }

  async sendFromDisk(): Promise<void> {
    const changed: FileFact[] = []
    this.#source = await openSendingSource(this.#work, this.#tools, changed)
    if (changed.length > 0) await this.#tools.ledger.record(changed)
    if (!this.#source) return
    const source = this.#source
    if (this.#work.size <= this.#tools.small_file_bytes) await this.#sendSource(source)
    else await this.#tools.places.large(() => this.#sendSource(source))
  }

  async #sendSource(source: SendingSource): Promise<void> {
    if (this.#mayNotBegin()) return
    const slot = await this.#slot(source)
    if (!slot) return
    if (!(await this.#put(slot.ticket, source))) return
    await this.complete(slot.asset_id, slot.ticket)
  }

  /** The slot of an earlier try that did not end, while its ticket lasts; else a new one. Undefined where none is needed, or none given. */
  async #slot(source: SendingSource): Promise<{ asset_id: string; ticket: Ticket } | undefined> {
    const { content, state, asset_id, ticket } = this.#work
    const now_ms = this.#tools.clock.now_ms()
    if (ticket && asset_id && ticket.expires_at_ms - ticket_margin_ms > now_ms) {
      // A crash between the ticket's commit and the ledger's: the slot is ours, the fact is still to be recorded.
      if (state !== 'reserved') await this.#record({ type: 'slot_reserved', content, asset_id, ticket })
      return { asset_id, ticket }
    }
    if (state === 'reserved') {
      // The next claim asks for the new slot.
      await this.#record({ type: 'slot_lost', content, not_before_ms: now_ms })
      return undefined
    }
    return await this.#newSlot(source)
  }

  #mayNotBegin(): boolean {
    return (
      this.#signal.aborted ||
      this.#tools.soft.aborted ||
      this.#tools.circuits.rests(this.#work.project_id, ['api', 'blob'])
    )
  }

  /** The intent is recorded already, for all that was claimed together. Undefined, too, where a stop came while it waited for a place. */
  async #newSlot(source: SendingSource): Promise<{ asset_id: string; ticket: Ticket } | undefined> {
    const { content, project_id, md5, without_md5 } = this.#work
    const { report, remote, folders, places } = this.#tools
    const folder = folders.get(source.place.folder)!.settings
    const filename = uploadName(folder, source.place.path)
    const asset = { filename, mime_type: source.mime_type, ...(without_md5 ? {} : { md5 }) }
    const calling = await places.call('create', async () => {
      return this.#mayNotBegin() ? undefined : await remote.createAsset(project_id, asset)
    })
    const created = calling && (await this.#created(calling))
    if (!created) return undefined
    if (created.kind === 'exists') {
      await this.#record({ type: 'asset_found', content, asset_id: created.asset_id })
      report.linked(this.#name())
      return undefined
    }
    const { asset_id, ticket } = created
    await this.#record({ type: 'slot_reserved', content, asset_id, ticket })
    return { asset_id, ticket }
  }

  async #put(ticket: Ticket, source: SendingSource): Promise<boolean> {
    const { content, project_id } = this.#work
    const { remote, bandwidth, places } = this.#tools
    let outcome: Outcome<void>
    try {
      const body = bandwidth.pace(source.body, this.#signal)
      outcome = await places.call('put', () => remote.putBytes(ticket, body, this.#signal), body.size)
    } catch (error) {
      if (!isSluiceError(error) || !error.code.startsWith('file.')) throw error
      await this.#fileFault(source, error)
      return false
    }
    if (outcome.ok) {
      await this.#tools.circuits.succeeded(project_id, 'blob', 'put')
      // On its way into the ledger while `complete` is called: a crash in between puts the same bytes into the same slot again.
      this.#sent = this.#record({ type: 'bytes_accepted', content })
      this.#sent.catch(() => {})
      return true
    }
    await this.#failed(outcome.failure, 'put', outcome.failure.about === 'ticket')
    return false
  }

  /** `ticket` is absent when the bytes went in an earlier life of the daemon. */
  async complete(asset_id: string, ticket?: Ticket): Promise<void> {
    const { project_id } = this.#work
    const { remote, circuits, places } = this.#tools
    for (let tries = 0; ; tries++) {
      const outcome = await places.call('complete', () => remote.completeAsset(project_id, asset_id))
      await this.#sent
      if (outcome.ok) {
        await circuits.succeeded(project_id, 'api', 'complete')
        await this.#ingestStarted(outcome.value.status === 'ready')
        return
      }
      const failure = withoutTicket(outcome.failure, ticket ?? this.#work.ticket)
      if (failure.about !== 'attempt' && failure.about !== 'slot_gone') return this.#failed(failure, 'complete')
      const goes_on = await this.#afterFailedComplete(asset_id, failure, ticket, tries)
      if (!goes_on) return
    }
  }

  /**
   * The service says that the slot is gone, or that its bytes are missing or others. Its record
   * decides. Where the slot is gone there too, a new one is made. Missing bytes are sent once more
   * with the same ticket, then into a new slot.
   */
  async #afterFailedComplete(
    asset_id: string,
    failure: Failure,
    ticket: Ticket | undefined,
    tries: number,
  ): Promise<boolean> {
    const { content, project_id, attempts, size } = this.#work
    const read = await this.#tools.remote.readAsset(project_id, asset_id)
    if (!read.ok) {
      if (read.failure.about === 'asset_gone') await this.#failed(failure, 'complete', true)
      else await this.#failed(read.failure)
      return false
    }
    const { status } = read.value
    // Hosted, a slot that was never completed reads `ingesting` too, with no size.
    const is_open = status === 'uploaded' || (status !== 'ready' && status !== 'failed' && isUnfilled(read.value, size))
    if (!is_open) {
      await this.#ingestStarted(status === 'ready')
      return false
    }
    if (failure.about === 'slot_gone') {
      // The slot is there with its bytes: to send them again would change nothing.
      await this.#failed(failure, 'complete')
      return false
    }
    const error = { code: failure.code ?? 'complete_refused', message: textOf(failure) }
    if (!ticket && this.#work.ticket) {
      await this.#record({ type: 'bytes_missing', content, not_before_ms: this.#later(attempts), error })
      return false
    }
    if (!ticket || !this.#source || tries > 0) {
      await this.#failed(failure, 'complete', true)
      return false
    }
    return this.#put(ticket, this.#source)
  }

  async #ingestStarted(is_ready: boolean): Promise<void> {
    const { content, size } = this.#work
    const not_before_ms = this.#tools.clock.now_ms() + this.#tools.follow_first_ms
    const started = { type: 'ingest_started', content, not_before_ms } as const
    await (is_ready ? this.#record(started, { type: 'asset_ready', content }) : this.#record(started))
    this.#tools.report.sent(this.#name(), size)
    if (is_ready) this.#tools.report.ready(this.#name())
  }

  async #fileFault(source: SendingSource, error: unknown): Promise<void> {
    const folder = this.#tools.folders.get(source.place.folder)!.settings
    await this.#tools.ledger.record([changedFact(source.place, folder, this.#tools, placeFault(error))])
    this.#tools.report.later(messageOf(error), this.#name())
  }

  /** What the service made, or undefined after its failure was dealt with. */
  async #created(outcome: Outcome<Created>): Promise<Created | undefined> {
    if (!outcome.ok) {
      await this.#failed(outcome.failure, 'create')
      return undefined
    }
    await this.#tools.circuits.succeeded(this.#work.project_id, 'api', 'create')
    return outcome.value
  }

  /** Defers the content, or refuses it. `step`: absent where another call failed on the way. */
  async #failed(failure: Failure, step?: Step, is_slot_gone = false): Promise<void> {
    if (this.#signal.aborted) return
    const { content, project_id, attempts } = this.#work
    const { circuits, report, clock, retry } = this.#tools
    if (failure.about === 'content') return this.#refuse(failure)
    const host = step === 'put' ? 'blob' : 'api'
    const verdict = await circuits.failed(failure, project_id, host, { content, step })
    // While `complete` fails for all, another slot would only cost the bytes once more; no try of a host that rests is the last.
    const last_at = verdict === 'count' ? retry.max_attempts : Number.POSITIVE_INFINITY
    const is_lost =
      is_slot_gone || ((verdict === 'count' || step === 'put') && isSlotGivenUp(this.#work, failure, step, last_at))
    const type = is_lost ? 'slot_lost' : 'set_back'
    if (verdict === 'hold') {
      // Behind the others: the next probe is another content, for this one may be at fault itself.
      await this.#record({ type, content, not_before_ms: clock.now_ms() })
      return
    }
    const last = givenUp(this.#work, failure, retry.max_attempts, clock.now_ms())
    if (last) return this.#refuse(last)
    const error = { code: failure.code ?? failure.about, message: textOf(failure) }
    await this.#record({ type, content, not_before_ms: this.#later(attempts), error })
    report.later(error.message, this.#name())
  }

  async #refuse(failure: Failure): Promise<void> {
    const error = { code: failure.code ?? failure.about, message: textOf(failure) }
    await this.#record({ type: 'content_refused', content: this.#work.content, error })
    this.#tools.report.refused(error.message, this.#name())
  }

  #later(attempts: number): number {
    return this.#tools.clock.now_ms() + backoff_ms(attempts, this.#tools.retry)
  }

  async #record(...facts: ContentFact[]): Promise<void> {
    await this.#tools.ledger.record(facts)
  }

  #name(): string {
    const place = this.#source?.place ?? this.#work.sources[0]
    return place ? `${place.folder}/${place.path}` : `content ${this.#work.content}`
  }
}
