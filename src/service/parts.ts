import type { Clock } from '../base/time/time.ts'
import type { OpenedAssistant } from './assistant/assistant.ts'
import type { FaultInjection } from './fault-injection.ts'
import type { Observer } from './observer.ts'
import type { Profile, Settings } from './options.ts'
import type { Reader } from './reading/reader.ts'
import type { Programs } from './recognise/programs.ts'
import type { IndexProgress } from './store/passages/passage-index.ts'
import type { Stores } from './store/stores.ts'

/** The parts of one running service, shared by calls and workers. */
export interface Parts extends Stores {
  settings: Settings
  profile: Profile
  clock: Clock
  log: (line: string) => void
  assistant: OpenedAssistant
  reader: Reader
  /** The programs of this machine that read what no package of this one can. */
  programs: Programs
  /** The index while it is made anew. */
  indexing: { progress: IndexProgress | undefined }
  injected_faults: FaultInjection
  observer: Observer
  /** Ids of the assets whose bytes arrive now. Their slots are not removed meanwhile. */
  uploading: Set<string>
  /** The origins that clients use; empty until both servers listen. */
  origins: { api: string; blob: string }
  /** Wakes a background worker when there may be new work for it. */
  wake: Record<'ingest' | 'documents' | 'recognition' | 'indexing' | 'answers', () => void>
  /** Aborts when the service stops. */
  signal: AbortSignal
  on_error: (error: unknown) => void
}
