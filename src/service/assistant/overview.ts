import { formatCount } from '../../base/text/format.ts'
import type { EverydayQuestion } from './everyday.ts'

/** Facts about the files of a scope. */
export interface ScopeFacts {
  files: number
  /** Files that cannot be read, beside those. */
  failed: number
  /** How many have the words of the subject in name or folder; undefined without a subject. */
  named?: number | undefined
  /** How many of these came in within the span of the question, and its first and last day. */
  recent?: { files: number; from: string; to: string } | undefined
  /** Names of all files, as they were sent; empty if the answer needs none. */
  names: readonly string[]
  /** Names in their order, each with its time for users. */
  listed: readonly { name: string; time: string }[]
  /** They are ordered by the dates in their names, not by the time when they came in. */
  is_by_name: boolean
}

/** `#` stands for a count, `%` for what is counted. A pair is for one and for several. */
const texts = {
  en: {
    files: ['1 file is there.', '# files are there.'],
    failed: ['1 more file cannot be read.', '# more files cannot be read.'],
    recent: ['1 of them came in %.', '# of them came in %.'],
    on: 'on ',
    from: 'from ',
    to: ' to ',
    named: ['1 of them has % in the name or folder.', '# of them have % in the name or folder.'],
    and: ' and ',
    newest: 'Those that came in last:',
    by_name: 'The latest by the dates in their names:',
    kinds: 'By kind',
    folders: 'By folder',
    others: 'others',
    no_folder: 'no folder',
    more: ['… and 1 more', '… and # more'],
  },
  de: {
    files: ['1 Datei ist da.', '# Dateien sind da.'],
    failed: [
      '1 weitere Datei kann nicht gelesen werden.',
      '# weitere Dateien können nicht gelesen werden.',
    ],
    recent: ['1 davon kam %.', '# davon kamen %.'],
    on: 'am ',
    from: 'vom ',
    to: ' bis ',
    named: ['1 davon hat % im Namen oder Ordner.', '# davon haben % im Namen oder Ordner.'],
    and: ' und ',
    newest: 'Zuletzt angekommen:',
    by_name: 'Die letzten nach dem Datum im Namen:',
    kinds: 'Nach Art',
    folders: 'Nach Ordner',
    others: 'andere',
    no_folder: 'ohne Ordner',
    more: ['… und 1 weitere', '… und # weitere'],
  },
}

function countText([one, many]: readonly string[], count: number, what = ''): string {
  return (count === 1 ? one! : many!).replace('#', formatCount(count)).replace('%', () => what)
}

/** The answer from counts, names and times, in the language of the question. */
export function overviewText(
  { language, subject }: EverydayQuestion,
  { files, failed, recent, named, names, listed, is_by_name }: ScopeFacts,
): string {
  const words = texts[language]
  const sentences = [countText(words.files, files)]
  if (failed > 0) sentences.push(countText(words.failed, failed))
  if (named)
    sentences.push(
      countText(words.named, named, subject.map((word) => `“${word}”`).join(words.and)),
    )
  if (recent) {
    const { from, to } = recent
    const days = from === to ? words.on + from : words.from + from + words.to + to
    sentences.push(countText(words.recent, recent.files, days))
  }
  const lines = [sentences.join(' ')]
  if (names.length > 0) {
    const others = words.others
    lines.push(`${words.kinds}: ${countsText(names.map(endingOf), others)}.`)
    lines.push(`${words.folders}: ${countsText(foldersOf(names, words.no_folder), others)}.`)
  }
  if (listed.length > 0) {
    const more = (recent?.files ?? named ?? files) - listed.length
    const items = listed.map(({ name, time }) => `- ${name} (${time})`)
    if (more > 0) items.push(countText(words.more, more))
    lines.push(is_by_name ? words.by_name : words.newest, items.join('\n'))
  }
  return lines.join('\n\n')
}

/** More would be a list, not an overview. */
const max_groups = 16
/** Fewer folders at the top say little, so that those in them are counted. */
const min_folders = 3

function countsText(groups: readonly string[], others: string): string {
  const counts = new Map<string, number>()
  for (const group of groups) counts.set(group, (counts.get(group) ?? 0) + 1)
  const sorted = [...counts].sort(([, one], [, other]) => other - one)
  const rest = sorted.slice(max_groups).reduce((sum, [, count]) => sum + count, 0)
  return [...sorted.slice(0, max_groups), ...(rest > 0 ? [[others, rest] as const] : [])]
    .map(([group, count]) => `${formatCount(count)} ${group}`)
    .join(', ')
}

function endingOf(name: string): string {
  return /\.(\w{1,8})$/.exec(name)?.[1]?.toLowerCase() ?? '–'
}

function foldersOf(names: readonly string[], no_folder: string): string[] {
  const folders = (depth: number) =>
    names.map((name) => name.split('/').slice(0, -1).slice(0, depth).join('/') || no_folder)
  const top = folders(1)
  return new Set(top).size < min_folders ? folders(2) : top
}
