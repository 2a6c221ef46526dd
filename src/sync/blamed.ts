import type { Clock } from '../base/time/time.ts'
import type { Refusal } from '../domain/file-type.ts'
import { type About, featureIn } from '../domain/trouble.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { isOfNoText } from '../remote/assets.ts'
import { type Blame, featureOf, type UploadTries } from '../remote/judge-failure.ts'
import type { Call, Failure } from '../remote/outcome.ts'
import { hostOf } from './fault-counts.ts'
import { isOfUploads, type SyncReport } from './report.ts'

export interface CircuitTools {
  ledger: Ledger
  clock: Clock
  report: SyncReport
  /** True if the token has changed. Rejects if it cannot be read. */
  reloadToken: () => Promise<boolean>
  /** Called when the service asks for fewer parallel calls. */
  onSlowDown: () => void
  /** All projects of the configuration in force. */
  readonly projects: readonly string[]
  /** Projects that the audit asks, even without uploads. Only an answer ends their trouble. */
  readonly audited?: readonly string[]
}

export type Host = 'api' | 'blob'

/** The subject of a failed call. */
export interface Concern {
  content: number
  /** For a call of an upload. `extension`: the type of the file; undefined without one at hand. */
  upload?: { tries: UploadTries; extension: string | undefined }
}

/** Times are monotonic: else a clock that is turned back would stop all calls for that long. */
export interface Tripped {
  code: string
  attempts: number
  until_ms: number
  since_ms: number
  message: string
  recorded: boolean
  /** The call whose success alone ends the trouble. Absent: any. */
  call: Call | undefined
  /** True if the service set the pause (Retry-After). */
  asked_to_wait: boolean
}

/** The parts that a call of an item may find resting. */
export const blames = ['host', 'feature', 'step', 'uploads'] as const

/** The circuit of what is to blame. */
export function aboutOf(
  blame: Exclude<Blame, 'none' | 'types'>,
  call: Call,
  project_id: string,
): About {
  switch (blame) {
    case 'token':
      return 'account'
    case 'host':
      return hostOf(call)
    case 'step':
      return call === 'put' ? 'blob' : 'uploads'
    case 'feature':
      return `${featureOf(call) ?? 'questions'}:${project_id}`
    default:
      return `${blame}:${project_id}`
  }
}

/** The parts that a success of this call shows to work. */
export function able(call: Call, project_id: string): About[] {
  const host = hostOf(call)
  if (host === 'blob') return ['blob']
  const feature = featureOf(call)
  const own: About[] = feature === undefined ? [] : [`${feature}:${project_id}`]
  return ['account', 'api', `project:${project_id}`, `uploads:${project_id}`, 'uploads', ...own]
}

export function isTooMuch({ status, code }: Failure): boolean {
  return status === 429 || status === 503 || code === 'network.timeout'
}

/** Code of an answer: equal ones are about the same fault. */
export function answerCode({ code, status, about }: Failure): string {
  return code ?? (status === undefined ? about : `http.${status}`)
}

/** The refusal of a slot by the service; undefined for any other failure. */
export function refusalOf(failure: Failure, concern?: Concern): Refusal | undefined {
  const extension = concern?.upload?.extension
  if (failure.about !== 'content' || failure.call !== 'create' || extension === undefined)
    return undefined
  return { answer: answerCode(failure), extension }
}

/** True for a content without a word of its own: that says nothing about its type. */
export function isOfBytes({ answer }: Refusal): boolean {
  return isOfNoText(answer)
}

/** True if work on these hosts needs what rests. A feature rests for itself. */
export function isFor(about: About, { call }: Tripped, hosts: readonly Host[]): boolean {
  if (featureIn(about) !== undefined) return false
  return !isOfUploads(about) || hosts.includes('blob') || call === 'read'
}
