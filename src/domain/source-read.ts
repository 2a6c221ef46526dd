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
