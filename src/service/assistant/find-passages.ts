import { clockText, localMinuteOfDay, minute_ms } from '../../base/time/time.ts'
import type { Parts } from '../parts.ts'
import { formsIn } from '../store/passages/normal-forms.ts'
import { placeText } from '../store/passages/passage.ts'
import type { Hit } from '../store/passages/search.ts'
import { isIn } from '../store/store-assets.ts'
import type { FoundInFiles, Quote } from './answer-text.ts'
import { type EverydayQuestion, everydayQuestion, overviewText, sinceOf } from './everyday.ts'
import { type AskedFor, readRequest } from './question.ts'
import type { Knowledge } from './scope.ts'

/** The search asks for more hits than the answer uses: some may be of assets just removed. */
const min_hits = 60
/** Names that a user reads. */
const max_newest = 10
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
    return { quotes: [], overview: undefined, searched: undefined }
  const everyday = everydayQuestion(request)
  const asked = readRequest(request)
  const words = everyday ? everyday.subject : asked.words
  const limit = Math.max(min_hits, 2 * max_passages)
  const has_search = words.length + asked.forms.length + asked.names.length > 0
  const hits = has_search
    ? await reader.ask('search', { ...asked, words, ...scope, limit, wanted: max_passages })
    : []
  const found = quotesOf(parts, hits, { ...asked, words }, max_passages)
  const overview = everyday && (await overviewOf(parts, scope, everyday, found.length > 0))
  const has_found = found.length > 0 || overview !== undefined
  const begin = found.length === 0 && showsBeginnings(everyday, scope)
  const quotes = begin ? await beginningsOf(parts, scope, asked, max_passages) : found
  if (has_found) return { quotes, overview, searched: undefined }
  const searched = {
    files: assets.countOf(scope),
    words: words.length > 0 ? words : asked.words,
    beginnings: quotes.length,
  }
  return { quotes, overview, searched }
}

/** Whoever asks about certain files, such as new ones, is helped by how they begin. */
function showsBeginnings(
  everyday: EverydayQuestion | undefined,
  { projects }: Pick<Knowledge, 'projects'>,
): boolean {
  if (everyday?.kind === 'about') return true
  const is_counted = everyday?.kind === 'count' || everyday?.kind === 'list'
  return projects.length === 0 && !is_counted
}

/** The first passages of the newest files. */
async function beginningsOf(
  parts: Parts,
  scope: Pick<Knowledge, 'projects' | 'assets'>,
  asked: AskedFor,
  max_passages: number,
): Promise<Quote[]> {
  const newest = parts.assets.newestOf(scope, max_passages).map(({ seq }) => seq)
  return quotesOf(parts, await parts.reader.ask('first', newest), asked, max_passages)
}

/** Undefined where the question counts things that are in files, not files. */
async function overviewOf(
  { assets, reader, clock }: Parts,
  scope: Pick<Knowledge, 'projects' | 'assets'>,
  everyday: EverydayQuestion,
  has_quotes: boolean,
): Promise<string | undefined> {
  const { kind, subject, since } = everyday
  const named =
    subject.length === 0 ? undefined : await reader.ask('countNamed', { ...scope, words: subject })
  if (kind === 'count' && named === 0 && has_quotes) return undefined
  const now_ms = clock.now_ms()
  const midnight_ms = now_ms - (now_ms % minute_ms) - localMinuteOfDay(now_ms) * minute_ms
  const since_ms = since && sinceOf(since, midnight_ms)
  return overviewText(everyday, {
    files: assets.countOf(scope),
    recent: since_ms === undefined ? undefined : assets.countOf(scope, since_ms),
    named,
    newest: assets
      .newestOf(scope, max_newest, since_ms)
      .map(({ name, filename, created_at_ms }) => ({
        name: (name ?? filename).replace(/\p{Cc}+/gu, ' '),
        time: clockText(created_at_ms, now_ms),
      })),
  })
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
    quotes.push({ source: place === '' ? name : `${name}, ${place}`, text: hit.text })
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
