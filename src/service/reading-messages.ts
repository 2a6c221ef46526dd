import type { Extracted } from './extract-document.ts'
import type { ExtractLimits } from './extract-limits.ts'

/** What a child process is asked: one file at a time, its bytes with the question or in a file. */
export interface ReadRequest {
  filename: string
  mime_type: string
  place: { bytes: Uint8Array } | { path: string }
  limits: ExtractLimits
}

/** What it says: first, and once, that it is there; then one answer to each request. */
export type ChildMessage = { started: true } | (Extracted & ChildUse)

export interface ChildUse {
  /** Of the process so far. */
  cpu_ms: number
  peak_bytes: number
}
