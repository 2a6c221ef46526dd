import type { Config } from '../../config/config.ts'

/** A `reader` sees folders and asks about them. An `operator` also retries, accepts and runs. */
export type Role = 'reader' | 'operator'

/** The user of a request, or of an agent. */
export interface Viewer {
  name: string
  role: Role
  /** Names of folders; `all` is every folder, also one that is added later. */
  folders: readonly string[] | 'all'
  /** How they were recognised. */
  by: 'link' | 'password' | 'proxy' | 'token'
}

export function maySee({ folders }: Viewer, folder: string): boolean {
  return folders === 'all' || folders.includes(folder)
}

/** The folders that this viewer sees; undefined: all, also one that is added later. */
export function seenBy({ folders }: Viewer): readonly string[] | undefined {
  return folders === 'all' ? undefined : folders
}

/**
 * The configuration as this viewer may know it: their folders, and the prompts whose whole scope
 * lies in them. Labels, chats and the like lead to files of other folders, so only who sees all
 * folders sees a prompt about these.
 */
export function configFor(config: Config, viewer: Viewer): Config {
  if (viewer.folders === 'all') return config
  const folders = config.folders.filter(({ name }) => maySee(viewer, name))
  const prompts = config.prompts.filter(
    ({ scope: { folders: over, labels, chats, concepts, projects, views } }) => {
      const is_wider = [labels, chats, concepts, projects, views].some((list) => list.length > 0)
      return !is_wider && over.length > 0 && over.every((name) => maySee(viewer, name))
    },
  )
  return { ...config, folders, prompts }
}
