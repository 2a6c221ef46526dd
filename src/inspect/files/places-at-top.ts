import { join } from 'node:path'
import type { Paths } from '../../base/files/paths.ts'
import { escapeName, isOddNamed, textOfName } from '../../disk/scan/directory-names.ts'
import type { NamedFolder, Place } from './place.ts'

/** A name that a user asks for. */
export interface NameAsked {
  /** As it was typed: Sluice shows a name that is not UTF-8 with `\xNN`. */
  typed: string
  /** With its escapes replaced. */
  name: string
  /** True for the same name in another case. */
  fits: (name: string) => boolean
}

/** A list of so many names takes a few ms. Behind them, a name counts as it was typed. */
const max_names = 10_000

/**
 * What has this name in the first level of a folder. A file that a rule ignores is found on the
 * disk alone. Nothing is asked below a directory: that may be a link which leads out of the folder.
 */
export function placesAtTop(
  { typed, name, fits }: NameAsked,
  folders: readonly NamedFolder[],
  paths: Pick<Paths, 'look' | 'list'>,
): Place[] {
  if (/\/|^\.*$/.test(typed)) return []
  const is_name = !/\/|^\.*$/.test(name)
  return folders.flatMap(({ name: folder, path: root }) => {
    const found = new Set<string>()
    if (is_name && paths.look(join(root, name)).is_there) found.add(name)
    for (const raw of paths.list(root, max_names)) {
      const text = textOfName(raw)
      if (text === undefined) {
        if (isOddNamed(raw, typed)) found.add(escapeName(raw))
      } else if (is_name && fits(text)) found.add(text)
    }
    return [...found].sort().map((path) => ({ folder, path }))
  })
}
