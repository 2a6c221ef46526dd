import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { printable } from '../../base/text/format.ts'
import { second_ms, system_clock, within } from '../../base/time/time.ts'
import { readEnvironment } from '../../config/environment.ts'
import { expandPath } from '../../config/resolve/local-paths.ts'

/** A longer list would push the question off the screen. */
const max_shown = 100

/** On a mount that does not answer, readline would read no key, not even Ctrl-C. */
const max_wait_ms = 2 * second_ms

/**
 * Completes the last part of a path to the directories that begin with it, for the `completer` of
 * readline. `with_files`: files, too. Symbolic links count; hidden names only after a typed dot.
 */
export function pathCompleter({ with_files }: { with_files: boolean }) {
  return async (line: string): Promise<[string[], string]> => {
    return [(await within(pathsFor(line, with_files), max_wait_ms, system_clock)) ?? [], line]
  }
}

async function pathsFor(line: string, with_files: boolean): Promise<string[]> {
  if (line === '~') return ['~/']
  const parent = line.slice(0, line.lastIndexOf('/') + 1)
  const begun = line.slice(line.lastIndexOf('/') + 1)
  const place = expandPath(parent, readEnvironment().home)
  const entries = await readdir(place, { withFileTypes: true }).catch((): Dirent[] => [])
  const found: string[] = []
  for (const entry of entries) {
    const { name } = entry
    const fits = name.startsWith(begun) && (begun.startsWith('.') || !name.startsWith('.'))
    // A name that controls the terminal, or is not UTF-8, cannot be shown or typed.
    if (!fits || name !== printable(name) || name.includes('\ufffd')) continue
    const target = entry.isSymbolicLink() ? await stat(join(place, name)).catch(() => entry) : entry
    if (target.isDirectory() || with_files)
      found.push(`${parent}${name}${target.isDirectory() ? '/' : ''}`)
  }
  found.sort()
  // The first and the last have the beginning in common that all have, which readline inserts.
  return found.length > max_shown ? [...found.slice(0, max_shown - 1), found.at(-1)!] : found
}
