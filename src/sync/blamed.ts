import type { TypeStanding } from '../domain/file-type.ts'
import type { About } from '../domain/trouble.ts'
import { type Blame, featureOf, type UploadTries } from '../remote/judge-failure.ts'
import type { Call } from '../remote/outcome.ts'
import { hostOf } from './fault-counts.ts'

export interface TypedContent {
  content: number
  type: TypeStanding
}

/** What a failed call was about. */
export interface Concern {
  content: number
  /** For a call of an upload. */
  upload?: { tries: UploadTries; type: TypeStanding }
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

/** What a call of an item may find resting. */
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
