import type { Fact } from '../../../src/domain/fact.ts'

/** The data of a day, which decide everything that happens in it. */
export interface Day {
  seed: number
  /** Time of the last act or fault; quiet time follows. */
  length_ms: number
  acts: Act[]
  faults: Fault[]
  kills: Kill[]
}

/** A fact that was recorded, or the claim of a removal: a fault or a kill can begin with it. */
export type Happening = Fact['type'] | 'removal_claimed'

/**
 * The daemon dies after this number of facts of the whole day. `lost`: the next fact is reported,
 * but not recorded.
 */
export interface Kill {
  after_fact: number
  lost: boolean
  /** The kill waits for the first of these. */
  comes_with?: Happening
}

interface At {
  at_ms: number
}

/**
 * `name` is folder and path. Sizes and texts follow from `number`: two acts of one number write the
 * same bytes.
 */
export type Act = At &
  (
    | {
        do: 'write'
        name: string
        number: number
        bytes: number
        how: 'at once' | 'in parts' | 'by rename'
      }
    | { do: 'move' | 'copy'; name: string; to: string }
    | { do: 'remove' | 'truncate' | 'link' | 'touch'; name: string }
    | { do: 'retry' | 'accept' | 'rescan'; folder: string }
    | { do: 'pause'; for_ms: number }
    | { do: 'resume' }
    | { do: 'reload'; concurrency: number; label: string; without_prompt: boolean }
    | { do: 'ask' }
    | { do: 'sleep'; for_ms: number }
  )

export const service_hows = [
  'refused',
  'status',
  'lost answer',
  'early',
  'late',
  'wrong body',
  'slow body',
  'bad ticket',
  'unknown slot',
] as const

export type ServiceHow = (typeof service_hows)[number]

export const disk_hows = ['full', 'EIO', 'busy'] as const
export const watcher_hows = ['lost', 'late', 'doubled', 'overflow'] as const
/** A twin disk has the device number and the birth time of the known one. */
export const mount_hows = ['gone', 'bare', 'other disk', 'twin disk', 'hung'] as const

export interface Span {
  from_ms: number
  to_ms: number
  /**
   * The fault begins with the first of these from `from_ms` on, at the latest near the end of the
   * day. It lasts as long as drawn.
   */
  begins_with?: Happening
}

export type Fault = Span &
  (
    | { kind: 'disk'; how: (typeof disk_hows)[number] }
    | { kind: 'descriptors' }
    | { kind: 'watcher'; how: (typeof watcher_hows)[number] }
    | { kind: 'mounts'; folder: string; how: (typeof mount_hows)[number] }
    | {
        kind: 'service'
        how: ServiceHow
        place: string
        status: number
        one_in: number
        one_content?: boolean
      }
    | { kind: 'clock'; step_ms: number }
  )

export type FaultKind = Fault['kind']

export const fault_kinds: readonly FaultKind[] = [
  'disk',
  'descriptors',
  'watcher',
  'mounts',
  'service',
  'clock',
]

/** A fault without its times: a row of the table. */
export interface FaultForm {
  kind: FaultKind
  how?: string
}

export const fault_forms: readonly FaultForm[] = [
  ...disk_hows.map((how) => ({ kind: 'disk' as const, how })),
  { kind: 'descriptors' },
  ...watcher_hows.map((how) => ({ kind: 'watcher' as const, how })),
  ...mount_hows.map((how) => ({ kind: 'mounts' as const, how })),
  ...service_hows.map((how) => ({ kind: 'service' as const, how })),
  { kind: 'clock' },
]

/** Name of a fault in the table. */
export function faultName(fault: FaultForm): string {
  return fault.how === undefined ? fault.kind : `${fault.kind} ${fault.how}`
}

export const folders = ['docs', 'notes'] as const

const asset = '/v1/assets'
const chat = '/v1/chats'

/** Short name of a call, as the faults of a day use it. */
export function placeOfCall(method: string, path: string): string {
  const [bare = ''] = path.split('?')
  if (method === 'PUT') return 'put'
  if (bare === asset) return method === 'POST' ? 'create' : 'list'
  if (bare.endsWith('/complete')) return 'complete'
  if (bare.includes('/labels')) return 'label'
  if (bare.startsWith(`${asset}/`)) return method === 'DELETE' ? 'delete' : 'read'
  if (bare === chat) return method === 'POST' ? 'ask' : 'chats'
  if (bare.startsWith(`${chat}/`)) return 'answer'
  return 'other'
}

export const places = [
  'create',
  'put',
  'complete',
  'read',
  'list',
  'label',
  'delete',
  'ask',
  'answer',
  'chats',
  'all',
] as const
