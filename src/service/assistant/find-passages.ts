import { clockText } from '../../base/time/time.ts'
import type { Parts } from '../parts.ts'
import { formsIn, lastDateIn } from '../store/passages/normal-forms.ts'
import { placeText } from '../store/passages/passage.ts'
import type { Found, Hit } from '../store/passages/search.ts'
import { type AssetRow, type AssetScope, isIn } from '../store/store-assets.ts'
import type { FoundInFiles, Quote } from './answer-text.ts'
import { type EverydayQuestion, everydayQuestion, periodOf } from './everyday.ts'
import { overviewText } from './overview.ts'
import { type AskedFor, readRequest } from './question.ts'
import type { Knowledge } from './scope.ts'

/** The search asks for more hits than the answer uses: some may be of assets just removed. */
const min_hits = 60
/** Names that a user reads. */
const max_newest = 10
/** Kinds and folders are counted of at most so many names, which takes 20 ms. */
const max_counted = 20_000
/** UTF-16 units of a word that must begin the word of a row: other forms of it end otherwise. */
const min_same_length = 5

/** Searches the files of a scope for the request of a user. */
export async function findInFiles(
  parts: Parts,
  knowledge: Knowledge,
  request: string,
  max_passages: number,
): Promise<FoundInFiles> {
  const { reader, assets } = parts
  const scope = { projects: knowledge.projects, assets: knowledge.assets }
  if (scope.projects.length + scope.assets.length === 0)
    return { quotes: [], overview: undefined, searched: undefined, unknown: [] }
  const everyday = everydayQuestion(request)
  const asked = readRequest(request)
  const words = wordsToSearch(everyday, asked)
  const limit = Math.max(min_hits, 2 * max_passages)
  const has_search = words.length + asked.forms.length + asked.names.length > 0
  const { hits, unknown }: Found = has_search
    ? await reader.ask('search', { ...asked, words, ...scope, limit, wanted: max_passages })
    : { hits: [], unknown: [] }
  const found = quotesOf(parts, hits, { ...asked, words }, max_passages)
  const overview = everyday && (await overviewOf(parts, scope, everyday))
  const begins = found.length === 0 && showsBeginnings(everyday, scope)
  const quotes = begins ? await beginningsOf(parts, scope, asked, max_passages) : found
  if (found.length > 0 || overview !== undefined)
    return { quotes, overview, searched: undefined, unknown: found.length > 0 ? unknown : [] }
  const searched = {
    files: assets.countOf(scope),
    words: words.length > 0 ? words : asked.words,
    beginnings: quotes.length,
  }
  return { quotes, overview, searched, unknown: [] }
}

/** How many days of leave there are stands in a passage with `days`. */
function wordsToSearch(everyday: EverydayQuestion | undefined, asked: AskedFor): string[] {
  if (!everyday) return asked.words
  return everyday.kind === 'count' && everyday.subject.length > 0 ? asked.words : everyday.subject
}

/** Whoever asks about certain files, such as new ones, is helped by how they begin. */
function showsBeginnings(everyday: EverydayQuestion | undefined, scope: AssetScope): boolean {
  if (everyday?.kind === 'about') return true
  return scope.projects.length === 0 && !isOfFiles(everyday)
}

function isOfFiles(everyday: EverydayQuestion | undefined): boolean {
  return everyday?.kind === 'count' || everyday?.kind === 'list'
}

/** The first passages of the newest files. */
async function beginningsOf(
  parts: Parts,
  scope: AssetScope,
  asked: AskedFor,
  max_passages: number,
): Promise<Quote[]> {
  const newest = parts.assets.newestOf(scope, max_passages).map(({ seq }) => seq)
  return quotesOf(parts, await parts.reader.ask('first', newest), asked, max_passages)
}

/** Undefined where the question is about things that are in files, not about files. */
async function overviewOf(
  { assets, reader, clock }: Parts,
  scope: AssetScope,
  everyday: EverydayQuestion,
): Promise<string | undefined> {
  const { kind, subject, span } = everyday
  const has_subject = subject.length > 0
  const with_words = has_subject ? await reader.ask('named', { ...scope, words: subject }) : []
  const has_named = with_words.length > 0
  if (has_subject && !has_named && isOfFiles(everyday)) return undefined
  const now_ms = clock.now_ms()
  const period = span && periodOf(span, now_ms)
  const of = has_named ? { projects: [], assets: with_words } : scope
  const by_name = isOfFiles(everyday) && !period ? with_words.slice(0, 2 * max_newest) : []
  const dated = by_name.flatMap((asset) => assets.bySeq(asset) ?? []).filter(isIn)
  const is_by_name = dated[0] !== undefined && lastDateIn(namesOf(dated[0])) !== ''
  const listed = is_by_name ? dated : assets.newestOf(of, max_newest, period)
  const is_overview = kind === 'about' || (kind === 'count' && !has_subject && !span)
  const files = assets.countOf(scope)
  return overviewText(everyday, {
    files,
    failed: assets.countFailed(scope),
    recent: period && {
      files: assets.countOf(of, period),
      from: dateOf(period.from_ms),
      to: dateOf(Math.min(period.to_ms, now_ms)),
    },
    named: has_named ? assets.countOf(of) : undefined,
    names: is_overview && files <= max_counted ? assets.filenamesOf(scope) : [],
    listed: (is_overview ? [] : listed)
      .slice(0, max_newest)
      .map(({ name, filename, created_at_ms }) => ({
        name: (name ?? filename).replace(/\p{Cc}+/gu, ' '),
        time: clockText(created_at_ms, now_ms),
      })),
    is_by_name,
  })
}

function namesOf({ filename, name }: Pick<AssetRow, 'filename' | 'name'>): string {
  return `${filename}\n${name ?? ''}`
}

/** In the zone of this machine. */
function dateOf(at_ms: number): string {
  return clockText(at_ms).slice(0, 'YYYY-MM-DD'.length)
}

function quotesOf(
  { assets }: Parts,
  hits: readonly Hit[],
  asked: Pick<AskedFor, 'words' | 'forms'>,
  max_passages: number,
): Quote[] {
  const quotes: Quote[] = []
  for (const hit of hits) {
    if (quotes.length === max_passages) break
    const row = assets.bySeq(hit.asset)
    if (!row || !isIn(row)) continue
    const place = placeText({ ...hit, rows: rowsMeant(hit, asked) })
    const name = row.name ?? row.filename
    const quote = { text: hit.text, asset: hit.asset }
    quotes.push(
      place === '' ? { ...quote, source: name } : { ...quote, source: `${name}, ${place}`, place },
    )
  }
  return quotes
}

/** The row of a table that has most of what was asked; all of them if several have as much. */
function rowsMeant(
  { text, rows }: Hit,
  { words, forms }: Pick<AskedFor, 'words' | 'forms'>,
): number[] {
  const numbered = rows.filter((row) => row > 0)
  if (numbered.length < 2) return numbered
  const starts = words.map((word) => word.slice(0, Math.max(min_same_length, word.length - 2)))
  const scores = text.split('\n').map((line, at) => {
    if (!rows[at]) return 0
    const small = line.toLowerCase()
    const of_line = forms.length > 0 ? formsIn(line) : []
    return (
      starts.filter((start) => small.includes(start)).length +
      forms.filter((form) => of_line.includes(form)).length
    )
  })
  const best = Math.max(...scores)
  const meant = rows.filter((_, at) => scores[at] === best)
  return best > 0 && meant.length === 1 ? meant : numbered
}
