import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { askingPaths } from '../../base/files/ask-paths.ts'
import { decodeText } from '../../base/text/decode-text.ts'
import { formatBytes, printable } from '../../base/text/format.ts'
import type { Explanation } from '../../inspect/explain/explain.ts'
import type { Place } from '../../inspect/files/place.ts'
import type { FileView } from '../../ledger/views/view-files.ts'
import { configFor } from '../access/viewer.ts'
import { filePath } from '../html/layout.ts'
import { ownExplanation } from '../reads/own-explanation.ts'
import { max_query_chars } from '../reads/search-words.ts'
import { nameOf, search as searchFiles } from './named-by-agent.ts'
import { type Agent, type AgentCall, type Tool, toolOf } from './tool.ts'

/** Results of one search. A connector fetches a few of them. */
const max_results = 20
/** Words that are searched one by one: each search reads the names of all files. */
const max_words = 5
/** Shorter words stand in too many names. */
const min_word_chars = 3
/** Characters of a text: what a connector can hand to its model. */
const max_text_chars = 50_000
/** Bytes of a file whose text is read: the whole file is compared with what was uploaded. */
const max_text_bytes = 16 * 1_048_576

const cut_text = '\n\n… the text goes on: it is cut here'
const no_text =
  'Its text is not at hand here: Sluice gives that of plain text in UTF-8, up to 16 MiB, where the file on the disk is the one that is in. The tool ask answers from what the assistant has read of it.'

const url = z.string().describe('the page of the file; empty where the page has no address')

const search = toolOf({
  name: 'search',
  title: 'Search for connectors',
  description:
    'Finds files by the words of their names and paths, for connectors; fetch gives the text of one.',
  input: z.strictObject({
    query: z.string().min(1).max(4_000).describe('words of the names or paths of files'),
  }),
  output: z.object({
    results: z.array(z.object({ id: z.string(), title: z.string(), url })),
  }),
  async run({ query }, call) {
    const files = await filesFor(query, call)
    const results = files.map((file) => ({
      id: `${file.folder}/${file.path}`,
      title: nameOf(file),
      url: urlOf(file, call),
    }))
    return asJson({ results })
  },
})

const fetch = toolOf({
  name: 'fetch',
  title: 'Fetch for connectors',
  description: 'Gives the text of a file that search has found, or what is known of it instead.',
  input: z.strictObject({ id: z.string().min(1).max(5_000).describe('the id of a result') }),
  output: z.object({
    id: z.string(),
    title: z.string(),
    text: z.string().describe(`at most ${max_text_chars} characters`),
    url,
    metadata: z.record(z.string(), z.string()).describe('text: whole, begin or none'),
  }),
  async run({ id }, call) {
    const at = id.indexOf('/')
    const place = { folder: id.slice(0, at), path: id.slice(at + 1) }
    const file = await ownExplanation(call.tools, call.viewer, place)
    const text = await textOnDisk(file, call.tools)
    const is_cut = text !== undefined && text.length > max_text_chars
    const shown = is_cut ? text.slice(0, max_text_chars - cut_text.length) + cut_text : text
    const metadata = {
      ...factsOf(file),
      text: text === undefined ? 'none' : is_cut ? 'begin' : 'whole',
    }
    const title = nameOf(place)
    return asJson({ id, title, text: shown ?? aboutText(file), url: urlOf(place, call), metadata })
  },
})

/** The tools that connectors of assistants look for by these names. */
export const connector_tools: readonly Tool[] = [search, fetch]

/** Connectors read the answer from the one text, and newer ones from the structured content. */
function asJson<Data extends Record<string, unknown>>(data: Data) {
  return { text: JSON.stringify(data), data }
}

/** Empty is what connectors take for no link: they cite the title alone. */
function urlOf(place: Place, { address, tools }: Agent): string {
  const page = tools.config.page.base_url ?? address
  return page === undefined ? '' : `${page}${filePath(place)}`
}

/** Files with all words in their paths, else those with most of its long words. */
async function filesFor(query: string, call: AgentCall): Promise<FileView[]> {
  const { viewer, cursors } = call
  const { config } = call.tools
  const { folders } = configFor(config, viewer)
  const find = async (words: string) => {
    const wanted = { folders, query: words, stages: [] }
    const page = { limit: max_results, cursors }
    return (await searchFiles({ config, viewer }, wanted, page)).files
  }
  const files = query.length > max_query_chars ? [] : await find(query)
  if (files.length > 0) return files
  // An assistant asks in sentences, and no name has all words of one.
  const words = [...new Set(query.match(/[\p{L}\p{N}]+/gu))]
    .filter((word) => word.length >= min_word_chars)
    .sort((a, b) => b.length - a.length)
  const hits = new Map<string, { file: FileView; words: number }>()
  for (const word of words.slice(0, max_words)) {
    for (const file of await find(word)) {
      const key = nameOf(file)
      hits.set(key, { file, words: (hits.get(key)?.words ?? 0) + 1 })
    }
  }
  const found = [...hits.values()].sort((a, b) => b.words - a.words)
  return found.slice(0, max_results).map(({ file }) => file)
}

/**
 * The text of a file that is in; undefined for what is no plain text, and where the disk has other
 * bytes than were uploaded. So nothing is read through a link that took the place of the file.
 */
async function textOnDisk(
  { folder, path, state, md5, on_disk }: Explanation,
  { config }: Agent['tools'],
) {
  const { size } = on_disk
  if (state !== 'ready' || size === null || size > max_text_bytes) return undefined
  // To readers, an explanation does not say where the folder is.
  const root = config.folders.find(({ name }) => name === folder)!.path
  try {
    const { kind, bytes } = await askingPaths((paths) => paths.read(join(root, path), size))
    if (kind !== 'file' || createHash('md5').update(bytes).digest('hex') !== md5) return undefined
    const text = decodeText(bytes)
    return is_program_text.test(text) ? undefined : text
  } catch {
    // Another encoding, or a disk that does not answer.
    return undefined
  }
}

/** Controls, and documents that are written in ASCII for a program alone. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is searched
const is_program_text = /^(?:%PDF-|%!PS|\{\\rtf)|[\0-\x08\x0e-\x1a\x1c-\x1f]/

function factsOf({ folder, path, state, on_disk, times, labels, reading }: Explanation) {
  const facts = {
    folder,
    path,
    state,
    size: on_disk.size === null ? null : formatBytes(on_disk.size),
    modified: on_disk.modified,
    ready: times?.ready ?? null,
    labels: labels.join(', ') || null,
    reading: reading?.text ?? null,
  }
  const known = Object.entries(facts).flatMap(([name, value]) =>
    value === null ? [] : [[name, value] as const],
  )
  return Object.fromEntries(known) as Record<string, string>
}

/** Stands in the place of a text. */
function aboutText(file: Explanation): string {
  const { folder: _folder, path: _path, state, ...facts } = factsOf(file)
  const lines = [
    `${nameOf(file)}: ${state!.replaceAll('_', ' ')}`,
    ...file.why,
    ...Object.entries(facts).map(([name, value]) => `${name}: ${value}`),
    no_text,
  ]
  return lines.map((line) => printable(line)).join('\n')
}
