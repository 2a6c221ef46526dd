/**
 * What is never content, whatever the config says: told by the name alone, before anything is opened. Names are compared
 * without regard to case, because the systems that write most of these do so too. A pattern is a whole name, `start*`, `*end`
 * or `start*end`; one that ends in `/` is about directories only.
 *
 * Secrets are final. Every other default can be lifted, by an `include` or a negation that bears its mark: `!*.tmp` lifts
 * `*.tmp`, while `!*.docx` does not bring back the lock file `~$report.docx` (see ignore.ts).
 */
export interface DefaultIgnore {
  readonly rule: string
  readonly reason: string
  /** Nothing in the config or in a .sluiceignore brings it back. */
  readonly final: boolean
}

type Group = readonly [reason: string, ...patterns: string[]]

const final_groups: readonly Group[] = [
  ['may hold passwords and keys of programs', '.env*'],
  ['private key of SSH', 'id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*', '*.ppk'],
  ['may hold a private key or a certificate with one', '*.pem', '*.pfx', '*.p12', '*.jks', '*.keystore'],
  ['may be a private key (a Keynote presentation with this ending goes up as PDF or PPTX)', '*.key'],
  ['password safe', '*.kdbx', '*.kdb'],
  ['keys and known hosts of SSH', '.ssh'],
  ['credentials of a cloud or a cluster', '.aws', '.azure', '.kube', '.docker'],
  ['keys of GnuPG', '.gnupg'],
  ['passwords in plain text', '.netrc', '_netrc', '.pgpass', '.git-credentials', '.htpasswd'],
  ['holds ignore rules, not content', '.sluiceignore'],
]

const ordinary_groups: readonly Group[] = [
  ['lock file of an Office program: the document is open somewhere', '~$*', '*.laccdb'],
  ['lock file of LibreOffice: the document is open somewhere', '.~lock.*#'],
  [
    'temporary file of a program that is saving',
    '*.tmp',
    '*.temp',
    '.goutputstream-*',
    '*___jb_tmp___',
    '*___jb_old___',
  ],
  ['temporary or backup file of an editor', '*~', '*.swp', '*.swo', '*.swx', '.#*', '#*#'],
  ['deleted file that a program still holds open', '.nfs*', '.fuse_hidden*'],
  [
    'download that has not finished',
    '*.part',
    '*.partial',
    '*.filepart',
    '*.crdownload',
    '*.download',
    '*.opdownload',
    '*.!ut',
    '*.aria2',
  ],
  ['metadata of macOS, not content', '.DS_Store', '._*', '.AppleDouble/', 'Icon\r', '.Spotlight-V100/', '.fseventsd/'],
  ['metadata of Windows, not content', 'Thumbs.db', 'ehthumbs.db', 'desktop.ini', 'System Volume Information/'],
  ['index of a Synology NAS, not content', '@eaDir/'],
  [
    'snapshots: old copies of the same files',
    '.snapshot/',
    '.snapshots/',
    '.zfs/',
    '#snapshot/',
    '~snapshot/',
    '@Recently-Snapshot/',
  ],
  [
    'recycle bin: somebody deleted what is in it',
    '#recycle/',
    '@Recycle/',
    '$RECYCLE.BIN/',
    '.recycle/',
    '.Trash/',
    '.Trashes/',
    '.Trash-*/',
  ],
  ['fragments that a file system check found', 'lost+found/'],
  ['the inside of version control; the files beside it are what it holds', '.git', '.hg/', '.svn/'],
  ['installed packages of other people', 'node_modules/'],
]

const dot_file: DefaultIgnore = { rule: '.*', reason: 'hidden file or folder (dot_files is off)', final: false }

interface NamePattern extends DefaultIgnore {
  readonly start: string
  readonly end: string
  /** No `*`: `start` is the whole name. */
  readonly whole: boolean
  readonly directories_only: boolean
}

function compileGroups(groups: readonly Group[], final: boolean): NamePattern[] {
  return groups.flatMap(([reason, ...patterns]) =>
    patterns.map((rule) => {
      const directories_only = rule.endsWith('/')
      const name = (directories_only ? rule.slice(0, -1) : rule).toLowerCase()
      const star = name.indexOf('*')
      const start = star < 0 ? name : name.slice(0, star)
      return {
        rule,
        reason,
        final,
        directories_only,
        whole: star < 0,
        start,
        end: star < 0 ? '' : name.slice(star + 1),
      }
    }),
  )
}

function matches(pattern: NamePattern, lower_name: string): boolean {
  if (pattern.whole) return lower_name === pattern.start
  return (
    lower_name.length >= pattern.start.length + pattern.end.length &&
    lower_name.startsWith(pattern.start) &&
    lower_name.endsWith(pattern.end)
  )
}

/**
 * This runs for each entry of a million files, so a name meets only the patterns that share its first character, or its last
 * two (last one, for `*~`). Almost every name meets none, and then is not even turned to lower case.
 */
function indexPatterns(patterns: readonly NamePattern[]): (name: string) => readonly NamePattern[] {
  const by_first = new Map<number, NamePattern[]>()
  const by_end = new Map<number, NamePattern[]>()
  for (const pattern of patterns) {
    const [index, key] = pattern.start === '' ? [by_end, endKey(pattern.end)] : [by_first, lowerCode(pattern.start, 0)]
    index.set(key, [...(index.get(key) ?? []), pattern])
  }
  return (name) => {
    const first = by_first.get(lowerCode(name, 0))
    const last = by_end.get(lowerCode(name, name.length - 1))
    const end = by_end.get(endKey(name))
    if (first === undefined && last === undefined && end === undefined) return no_patterns
    return [first, last, end].flatMap((list) => list ?? no_patterns)
  }
}

const no_patterns: readonly NamePattern[] = []

/** The last two characters as one number above that of any single one; of one character, that. */
function endKey(name: string): number {
  const last = lowerCode(name, name.length - 1)
  return name.length < 2 ? last : 0x10000 * lowerCode(name, name.length - 2) + last
}

/** No pattern begins or ends with a letter beyond ASCII. */
function lowerCode(name: string, index: number): number {
  const code = name.charCodeAt(index)
  return code >= 65 && code <= 90 ? code + 32 : code
}

const final_patterns = compileGroups(final_groups, true)
const ordinary_patterns = compileGroups(ordinary_groups, false)
const candidatesFor = indexPatterns([...final_patterns, ...ordinary_patterns])

/**
 * Every default, for documents and tests; the rule of dot-files comes last and holds only without `dot_files`.
 *
 * @internal
 */
export const default_ignores: readonly DefaultIgnore[] = [...final_patterns, ...ordinary_patterns, dot_file]

/**
 * The default that a name falls under: a final one before all others, the dot-file rule last. `isLifted` is asked only about
 * rules that match and are not final.
 */
export function defaultIgnore(
  name: string,
  kind: 'file' | 'directory',
  dot_files: boolean,
  isLifted: (rule: DefaultIgnore) => boolean = never,
): DefaultIgnore | undefined {
  const candidates = candidatesFor(name)
  if (candidates.length > 0) {
    const found = firstMatch(candidates, name.toLowerCase(), kind, isLifted)
    if (found !== undefined) return found
  }
  return !dot_files && name.charCodeAt(0) === 46 && !isLifted(dot_file) ? dot_file : undefined
}

const never = () => false

/** A name that is both (`.env.tmp`) is told as the final one, which cannot be lifted. */
function firstMatch(
  candidates: readonly NamePattern[],
  lower_name: string,
  kind: 'file' | 'directory',
  isLifted: (rule: DefaultIgnore) => boolean,
): DefaultIgnore | undefined {
  const matching = candidates.filter(
    (pattern) => (kind === 'directory' || !pattern.directories_only) && matches(pattern, lower_name),
  )
  return matching.find((pattern) => pattern.final) ?? matching.find((pattern) => !isLifted(pattern))
}

/** The defaults, no final ones, whose mark one segment of a pattern bears: `*.tmp` that of `*.tmp`, `.config` that of dot-files. */
export function defaultsNamedBy(segment: string): DefaultIgnore[] {
  const lower = segment.toLowerCase()
  const named: DefaultIgnore[] = ordinary_patterns.filter((pattern) => matches(pattern, lower))
  if (lower.startsWith('.')) named.push(dot_file)
  return named
}
