import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { askingPaths } from '../../base/files/ask-paths.ts'
import { decodeText } from '../../base/text/decode-text.ts'
import { formatBytes, printable } from '../../base/text/format.ts'
import { filePath } from '../../domain/file.ts'
import type { Explanation } from '../../inspect/explain/explain.ts'
import type { Place } from '../../inspect/files/place.ts'
import type { FileView } from '../../ledger/views/view-files.ts'
import { configFor } from '../access/viewer.ts'
import { ownExplanation } from '../reads/own-explanation.ts'
import { nameOf, search } from './named-by-agent.ts'
import { type Agent, type AgentCall, type Tool, toolOf } from './tool.ts'

/** Results of one search. A connector fetches a few of them. */
const max_results = 20
/** Words that are searched one by one: each search reads the names of all files. */
const max_words = 5
/** Characters of a text: what a connector can hand to its model. */
const max_text_chars = 50_000
/** Bytes of a file whose text is read: the whole file is compared with what was uploaded. */
const max_text_bytes = 16 * 1_048_576

const cut_text = '\n\n… the text goes on: it is cut here'
const no_text =
  'Its text is not at hand here: Sluice gives that of plain text in UTF-8, up to 16 MiB, where the file on the disk is the one that is in. The tool ask answers from what the assistant has read of it.'

const url = z.string().describe('the page of the file; empty where the page has no address')

const searchTool = toolOf({
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

const fetchTool = toolOf({
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
    const shown = text === undefined ? aboutText(file) : cut(text)
    const amount = text === undefined ? 'none' : shown === text ? 'whole' : 'begin'
    const metadata = { ...factsOf(file), text: amount }
    return asJson({ id, title: nameOf(place), text: shown, url: urlOf(place, call), metadata })
  },
})

/** The tools that connectors of assistants look for by these names. */
export const connector_tools: readonly Tool[] = [searchTool, fetchTool]

/** Connectors read the answer from the one text, and newer ones from the structured content. */
function asJson<Data extends Record<string, unknown>>(data: Data) {
  return { text: JSON.stringify(data), data }
}

function cut(text: string): string {
  return text.length <= max_text_chars
    ? text
    : text.slice(0, max_text_chars - cut_text.length) + cut_text
}

/** Empty is what connectors take for no link: they cite the title alone. */
function urlOf(place: Place, { address, tools }: Agent): string {
  const page = tools.config.page.base_url ?? address
  return page === undefined ? '' : `${page}${filePath(place)}`
}

/** Files with all words in their paths, else those with most of its long words. */
async function filesFor(query: string, { tools: { config }, viewer, cursors }: AgentCall) {
  const { folders } = configFor(config, viewer)
  const find = async (words: string) => {
    const wanted = { folders, query: words, stages: [] }
    return (await search({ config, viewer }, wanted, { limit: max_results, cursors })).files
  }
  const files = await find(query)
  // An assistant asks in sentences, and no name has all words of one.
  const words = files.length > 0 ? [] : new Set(query.match(/[\p{L}\p{N}]{3,}/gu))
  const longest = [...words].sort((a, b) => b.length - a.length).slice(0, max_words)
  for (const word of longest) files.push(...(await find(word)))
  const names = files.map(nameOf)
  const words_in = (file: FileView) => names.filter((name) => name === nameOf(file)).length
  const found = new Map(files.map((file) => [nameOf(file), file]))
  return [...found.values()].sort((a, b) => words_in(b) - words_in(a)).slice(0, max_results)
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

/** An empty text: not known, or none. */
function factsOf({ folder, state, on_disk, labels, reading }: Explanation) {
  const { size, modified } = on_disk
  return {
    folder,
    state,
    size: size === null ? '' : formatBytes(size),
    modified: modified ?? '',
    labels: labels.join(', '),
    reading: reading?.text ?? '',
  }
}

/** Stands in the place of a text. */
function aboutText(file: Explanation): string {
  const facts = Object.entries(factsOf(file)).map(([name, value]) => `${name}: ${value || 'none'}`)
  const lines = [nameOf(file), ...file.why, ...facts, no_text]
  return lines.map((line) => printable(line)).join('\n')
}
