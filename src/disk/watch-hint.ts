/** Where to look; never what happened there. Paths are relative to the root. */
export type Hint =
  | { kind: 'path'; path: string }
  /** This directory and all below; where no directory is there any more, what was below it. */
  | { kind: 'directory'; path: string }
  | { kind: 'folder' }
  /** Events were or may have been lost: only a scan tells what changed. */
  | { kind: 'doubtful'; reason: string }

/** The kernel's queue (16,384 events by default) overflows in silence while who reads it is busy. */
export const burst_reason = 'so many changes at once that the kernel may have dropped some'
export const root_removed = 'the folder was removed or replaced: it is not watched any more'

/** The directory itself; '' is the root. */
export function hintAt(directory: string): Hint {
  return directory === '' ? { kind: 'folder' } : { kind: 'directory', path: directory }
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}
