import type { Config } from '../../config/config.ts'

/** Characters before a place in a text. A path in a folder may have the same parts. */
const starts = ['"', "'", ' ', '(', '`']

/** Faults that name hosts or secret files, and words in their place. A file's path is no fault. */
const faults: [fault: RegExp, words: string][] = [
  [
    /\b[A-Z]{3,7} [\w.:[\]-]+: (?:the|no|nothing|it) [\w ,]+(?:\([^)]*\))?/g,
    'the service could not be reached',
  ],
  [/(the page (?:cannot be served as it is configured|goes on with its earlier \w+)): .*/s, '$1'],
  [/\b(?:the token )?file \/[^:(]+(?=:| \([\w.]+\))/g, 'the token file'],
]

/**
 * An answer, which is JSON, for readers: names of folders stand for their places on this machine,
 * own words for faults, and each hint is to ask an administrator.
 */
export function forReader<Answer>(
  answer: Answer,
  { folders, state_dir }: Pick<Config, 'folders' | 'state_dir'>,
) {
  const names = new Map(folders.map(({ name, path }) => [path, name])).set(
    state_dir,
    'the state directory',
  )
  let json = JSON.stringify(answer)
  // A folder may lie in another one.
  for (const [place, name] of [...names].sort(([a], [b]) => b.length - a.length)) {
    const escaped = JSON.stringify(place).slice(1, -1)
    for (const start of starts)
      json = json.replaceAll(`${start}${escaped}`, () => `${start}${name}`)
  }
  return JSON.parse(json, (key, value) => {
    if (key === 'hint') return 'Ask your administrator'
    if (typeof value !== 'string' || key === 'path') return value
    return faults.reduce((text, [fault, words]) => text.replace(fault, words), value)
  }) as Answer
}
