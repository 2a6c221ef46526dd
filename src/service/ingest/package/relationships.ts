import { posix } from 'node:path'
import { type Archive, unescapedPath } from './archive.ts'
import { type Faults, readOptional } from './optional-part.ts'
import { decodeXml, walkXml, type XmlListener } from './xml.ts'

/** A part that another part of an Office document names. */
export interface Relationship {
  id: string
  /** The end of its type, such as `worksheet`: what Strict and Transitional documents share. */
  kind: string
  /** The name of the part in the archive, which may lack it. */
  part: string
}

/**
 * The parts that a part names, or that the package names for `''`, in the order of the file. Links
 * out of the document are left out (ECMA-376 part 2, 6.5). `faults` notes a broken list.
 */
export async function relationshipsOf(
  archive: Archive,
  part: string,
  faults: Faults,
): Promise<Relationship[]> {
  const { dir, base } = posix.parse(part)
  const list = posix.join(dir, '_rels', `${base}.rels`)
  const found: Relationship[] = []
  if (!archive.has(list)) return found
  const listener: XmlListener = {
    open(name, { Id = '', Type = '', Target = '', TargetMode }) {
      if (name !== 'Relationship' || TargetMode === 'External') return
      const target = decodedPath(Target.replaceAll('\\', '/'))
      const at = target.startsWith('/') ? target.slice(1) : posix.join(dir, target)
      found.push({ id: Id, kind: posix.basename(Type), part: at })
    },
  }
  await readOptional(archive, [list], faults, () => walkXml(archive, list, listener))
  return found
}

/** The names of the parts of some kinds. */
export function partsOfKind(
  related: readonly Relationship[],
  ...kinds: readonly string[]
): string[] {
  return related.filter(({ kind }) => kinds.includes(kind)).map(({ part }) => part)
}

/**
 * The parts that the main part names. If the package has lost its list, or the list is broken, the
 * usual names of parts say what they are; `id` is then empty, and parts with a number are in its
 * order.
 */
export async function partsOfMain(
  archive: Archive,
  main: string,
  faults: Faults,
): Promise<Relationship[]> {
  let is_broken = false
  const listed = await relationshipsOf(archive, main, {
    noteFault(fault) {
      is_broken = true
      faults.noteFault(fault)
    },
  })
  if (listed.length > 0 && !is_broken) return listed
  const number = (part: string) => Number(/(\d*)\.xml$/i.exec(part)?.[1])
  return archive.names
    .flatMap((part) => {
      const kind = usual_parts.find(([, pattern]) => pattern.test(part))?.[0]
      return kind === undefined ? [] : [{ id: '', kind, part }]
    })
    .sort((a, b) => number(a.part) - number(b.part))
}

/**
 * The parts that ids name, each undefined if none has the id. Parts whose ids are lost stand for
 * them in their order; `kind`: theirs.
 */
export function partsNamed(
  ids: readonly (string | undefined)[],
  parts: readonly Relationship[],
  kind: string,
): (string | undefined)[] {
  const unlisted = parts.filter((part) => part.kind === kind && part.id === '')
  const named = ids.map(
    (id) => parts.find((part) => part.id === id && id !== '') ?? unlisted.shift(),
  )
  return [...named, ...unlisted].map((found) => found?.part)
}

const usual_parts: readonly (readonly [kind: string, name: RegExp])[] = [
  ['worksheet', /^xl\/worksheets\/[^/]+\.xml$/i],
  ['sharedStrings', /^xl\/sharedStrings\.xml$/i],
  ['styles', /^(xl|word)\/styles\.xml$/i],
  ['slide', /^ppt\/slides\/[^/]+\.xml$/i],
  ['footnotes', /^word\/footnotes\.xml$/i],
  ['endnotes', /^word\/endnotes\.xml$/i],
  ['comments', /^word\/comments\.xml$/i],
  ['numbering', /^word\/numbering\.xml$/i],
  ['header', /^word\/header\d*\.xml$/i],
  ['footer', /^word\/footer\d*\.xml$/i],
]

/** Main parts as Office names them, for packages whose list of parts is lost. */
const usual_main = /^(word\/document\d*|ppt\/presentation|xl\/workbook)\.xml$/i

/** Tells the media type of a part, by its name or its ending (ECMA-376 part 2, 6.3.2). */
export async function mediaTypes(
  archive: Archive,
  faults: Faults,
): Promise<(part: string) => string> {
  const types = new Map<string, string>()
  const listener: XmlListener = {
    open(_name, { PartName = '', Extension = '', ContentType = '' }) {
      types.set((PartName.slice(1) || Extension).toLowerCase(), ContentType)
    },
  }
  const list = ['[Content_Types].xml'].filter(archive.has)
  await readOptional(archive, list, faults, (part) => walkXml(archive, part, listener))
  return (part) => {
    const name = part.toLowerCase()
    return types.get(name) ?? types.get(posix.extname(name).slice(1)) ?? ''
  }
}

/** The main part of an Office document; undefined if the archive is none. */
export async function mainPart(archive: Archive): Promise<string | undefined> {
  // Nothing else in this list has words, so the usual name does as well.
  const related = await relationshipsOf(archive, '', { noteFault() {} })
  const named = partsOfKind(related, 'officeDocument').find(archive.has)
  return named ?? archive.names.find((name) => usual_main.test(name))
}

/** The name of the first element of an XML part, without prefix; undefined if it is no XML. */
export async function rootName(archive: Archive, part: string): Promise<string | undefined> {
  for await (const chunk of archive.stream(part)) {
    const begin = decodeXml(chunk).replace(/<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<![^>]*>/g, '')
    return /^[^<]*<(?:[^\s/>:]+:)?([^\s/>]+)/.exec(begin)?.[1]
  }
  return undefined
}

/** The path in a reference, without the place in its file. */
export function decodedPath(reference: string): string {
  return unescapedPath(reference.replace(/#.*/, ''))
}
