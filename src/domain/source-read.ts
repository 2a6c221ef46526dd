/** How much of a file stood in front of the model: all of it, a part of it, or none. */
export const amounts_read = ['whole', 'part', 'not'] as const

/** What the service says that it read of one asset for an answer. */
export interface SourceRead {
  asset_id: string
  read: (typeof amounts_read)[number]
  /** Where in the file, such as `page 3`; absent if the service does not say it. */
  places?: readonly string[]
  /** Why not all of it was read, as a clause; absent if the service does not say it. */
  why?: string
}

/** What is known of a file that was asked about, once the answer is there. */
export interface Told {
  /** Undefined: the service does not say what it read. */
  read: SourceRead['read'] | undefined
  /** Where in the file it read; empty if it does not say it. */
  places: readonly string[]
  /** Why not all of it was read, as a clause. */
  why: string | undefined
  /** True if an answer has its file name, alone or at the end of a path. */
  is_named: boolean
}
