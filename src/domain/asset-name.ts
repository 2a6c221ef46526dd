import { basename } from 'node:path'

/** The folder's name and the path in it, or the file's own name alone. */
export type UploadName = 'path' | 'base'

/** A name that the service may show for an asset. */
export interface HeldName {
  text: string
  /** Folder of the file that gave the name; undefined if no file of Sluice is known to have. */
  folder: string | undefined
}

/** A file, by the name of its folder and its path there. */
interface Place {
  folder: string
  path: string
}

/** Characters. Maximum length of `filename` (contract, section 2). */
const max_name_length = 255

/**
 * The name on the service: the folder's name and the path in it, so that two `report.docx` differ;
 * or only the file's own name. A long name loses its middle, so that the folder and the ending
 * stay.
 */
export function uploadName(
  folder: { name: string; upload_name: UploadName },
  path: string,
): string {
  const whole = folder.upload_name === 'path' ? `${folder.name}/${path}` : basename(path)
  const characters = [...whole]
  if (whole.length <= max_name_length) return whole
  const budget = max_name_length - 1
  let head = ''
  let tail = ''
  for (let from = 0, to = characters.length - 1; ; ) {
    const next_tail = characters[to--]! + tail
    if (head.length + next_tail.length > budget) break
    tail = next_tail
    // The head gets a third of the length, because the tail has the file's own name.
    if (head.length * 2 < tail.length) {
      const next_head = head + characters[from++]!
      if (next_head.length + tail.length > budget) break
      head = next_head
    }
  }
  return `${head}…${tail}`
}

/** The two names that the service may get for this file. */
function namesFor({ folder: name, path }: Place): [path: string, base: string] {
  return [uploadName({ name, upload_name: 'path' }, path), basename(path)]
}

/**
 * Folders that a user must see, besides the folder of `file`, to read the names of its asset. Null
 * stands for a name of unknown origin, which only a user of all folders may read.
 */
export function foldersNaming(held: readonly HeldName[], file: Place): (string | null)[] {
  if (held.length === 0) return [null]
  // These tell no more than the place of the file.
  const own = namesFor(file)
  return held.filter(({ text }) => !own.includes(text)).map(({ folder }) => folder ?? null)
}

/** True if a user who sees these folders may read names that come from `naming`. */
export function mayReadNames(
  naming: readonly (string | null)[],
  sees: (folder: string) => boolean,
): boolean {
  return naming.every((folder) => folder !== null && sees(folder))
}

/**
 * The folder that a name on the service comes from, if one of these files gives it. A base name may
 * also come from another user, so it counts only for an asset that Sluice made.
 */
export function folderNaming(
  text: string,
  files: readonly Place[],
  made_here: boolean,
): string | undefined {
  const gives = (file: Place) => namesFor(file).indexOf(text)
  return files.find((file) => gives(file) === 0 || (made_here && gives(file) === 1))?.folder
}

/**
 * The name that an asset should have; undefined if no file gives one. A name stays while a file
 * gives it. Else a file of the same folder comes first, so that the same users may read the new
 * name. Then the first folder by name, and the first path in it.
 */
export function chooseName(shown: HeldName, given: readonly HeldName[]): HeldName | undefined {
  const kept = given.find(({ text }) => text === shown.text)
  if (kept) return kept
  const rank = ({ folder = '', text }: HeldName) =>
    `${folder === shown.folder ? 0 : 1}\0${folder}\0${text}`
  return [...given].sort((a, b) => (rank(a) < rank(b) ? -1 : 1))[0]
}
