/**
 * A pattern of names that are ignored without any config, before anything is opened. Case does not
 * matter, as in the systems that write most of them. `*` is any text, and `:` is also each
 * character that stands for a colon (below). With a `/` at its end, the pattern is about
 * directories only; without one about files only, except secrets and `about_both`. An `include` or
 * a negation lifts any default that matches its text, except secrets: `!*.tmp` lifts `*.tmp`, but
 * `!*.docx` does not lift the lock file `~$report.docx` (ignore.ts).
 */
export interface DefaultIgnore {
  readonly rule: string
  readonly reason: string
  /** Nothing in the config or in a .sluiceignore can lift it. */
  readonly final: boolean
}

type Group = readonly [reason: string, ...patterns: string[]]

const final_groups: readonly Group[] = [
  ['may hold passwords and keys of programs', '.env*'],
  ['private key of SSH', 'id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*', '*.ppk'],
  [
    'may hold a private key or a certificate with one',
    '*.pem',
    '*.pfx',
    '*.p12',
    '*.jks',
    '*.keystore',
  ],
  [
    'may be a private key (a Keynote presentation with this ending can be uploaded as PDF or PPTX)',
    '*.key',
  ],
  ['password safe', '*.kdbx', '*.kdb'],
  ['keys and known hosts of SSH', '.ssh'],
  ['credentials of a cloud or a cluster', '.aws', '.azure', '.kube', '.docker'],
  ['keys of GnuPG', '.gnupg'],
  ['passwords in plain text', '.netrc', '_netrc', '.pgpass', '.git-credentials', '.htpasswd'],
  ['holds ignore rules, not content', '.sluiceignore'],
]

const ordinary_groups: readonly Group[] = [
  ['lock file of an Office program: the document is open somewhere', '~$*', '*.laccdb', '*.ldb'],
  ['lock file of LibreOffice: the document is open somewhere', '.~lock.*#'],
  ['lock file of AutoCAD: the drawing is open somewhere', '*.dwl', '*.dwl2'],
  ['lock file of InDesign: the document is open somewhere', '*.idlk'],
  ['copy that an Office program made by itself', '*.wbk', '*.asd', '*.xlk', '*.~vsdx'],
  ['temporary file of OneNote', '*.onetmp'],
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
    '*.!bt',
    '*.!qb',
    '*.!sync',
    '*.bc!',
    '*.bt!',
    '*.fb!',
    '~uTorrentPartFile_*.dat',
    '*.insyncdl',
    '*.aria2',
    '*.xltd',
    '*.dtapart',
    '*.dctmp',
    '*.gstmp',
  ],
  // A directory around the file. `*.download/` would take folders that a user calls `1.2.download`.
  [
    'download of Safari that has not finished',
    '*.pdf.download/',
    '*.doc.download/',
    '*.docx.download/',
    '*.xls.download/',
    '*.xlsx.download/',
    '*.ppt.download/',
    '*.pptx.download/',
    '*.zip.download/',
  ],
  [
    'metadata of macOS, not content',
    '.DS_Store',
    '._*',
    '.AppleDouble/',
    'Icon\r',
    '.Spotlight-V100/',
    '.fseventsd/',
    '.DocumentRevisions-V100/',
    '.TemporaryItems/',
    '.apdisk',
    '__MACOSX/',
  ],
  [
    'metadata of Windows, not content',
    'Thumbs.db',
    'ehthumbs.db',
    'desktop.ini',
    'System Volume Information/',
  ],
  ['memory of Windows, not content', 'pagefile.sys', 'hiberfil.sys', 'swapfile.sys'],
  // Someone may call a text `Windows:SmartScreen`, so a common word needs an ending before it.
  [
    'data stream of Windows or macOS, which belongs to the file beside it',
    '*:$DATA',
    '*:Zone.Identifier',
    '*.*:SmartScreen',
    '*:OECustomProperty',
    '*.url:favicon',
    'Thumbs.db:encryptable',
    '*:AFP_AfpInfo',
    '*:AFP_Resource',
    '*:\u2663SummaryInformation',
    '*:\u2663BnhqlkugBim0elg1M1pt2tjdZe',
    '*:{4c8cc155-6c1e-11d1-8e41-00c04fb9386d}',
    '*:com.apple.quarantine',
    '*:com.apple.FinderInfo',
    '*:com.apple.ResourceFork',
    '*:com.apple.TextEncoding',
    '*:com.apple.lastuseddate#PS',
    '*:com.apple.macl',
    '*:com.apple.provenance',
    '*:com.apple.metadata:kMDItemWhereFroms',
    '*:com.apple.metadata:kMDItemFinderComment',
    '*:com.apple.metadata:_kMDItemUserTags',
    '*:com.dropbox.attributes',
    '*:com.dropbox.attrs',
    '.streams/',
  ],
  ['shortcut of Windows: it only names another file', '*.lnk'],
  ['copies that the replication of Windows keeps for itself', 'DfsrPrivate/'],
  [
    'index or work of a Synology NAS, not content',
    '@eaDir/',
    '*@SynoEAStream',
    '*@SynoResource',
    '@tmp/',
    '@sharebin/',
    '.SynologyWorkingDirectory/',
  ],
  [
    'belongs to a sync program, not content',
    '.stfolder',
    '.stversions/',
    '.stignore',
    '.sync_*.db',
    '.sync_*.db-shm',
    '.sync_*.db-wal',
    '.csync_journal.db*',
    '.owncloudsync.log*',
    '.nextcloudsync.log*',
    '.dropbox',
    '.dropbox.attr',
    '.dropbox.cache/',
    '.*.icloud',
    '.tmp.driveupload/',
    '.tmp.drivedownload/',
    '*.tmp.driveupload',
    '*.tmp.drivedownload',
    '_gsdata_/',
    '*.ffs_db',
    '*.ffs_lock',
    '*.ffs_tmp',
  ],
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
    'Network Trash Folder/',
    '.smbdelete*',
  ],
  ['fragments that a file system check found', 'lost+found/'],
  ['the inside of version control; the files beside it are what it holds', '.git', '.hg/', '.svn/'],
  ['installed packages of other people', 'node_modules/'],
]

const dot_file: DefaultIgnore = {
  rule: '.*',
  reason: 'hidden file or folder (dot_files is off)',
  final: false,
}

/** Ordinary names that are a file here and a directory there. Documents lie in neither. */
const about_both: readonly string[] = ['.git', '.stfolder', '.dropbox']

/**
 * Windows allows no colon in names, so others write one of two private characters in its place:
 * WSL and `mapchars` of mount.cifs U+F03A, macOS and mount.cifs otherwise U+F022.
 */
const colons = '[:\uF022\uF03A]'

interface NamePattern extends DefaultIgnore {
  readonly shape: RegExp
  readonly kind: 'file' | 'directory' | 'both'
}

function compileGroups(groups: readonly Group[], final: boolean): NamePattern[] {
  return groups.flatMap(([reason, ...rules]) =>
    rules.map((rule) => {
      const name = rule.replace(/\/$/, '').replace(/[\\^$.+?()[\]{}|]/g, '\\$&')
      const shape = new RegExp(`^${name.replaceAll('*', '.*').replaceAll(':', colons)}$`, 'is')
      return { rule, reason, final, shape, kind: kindOf(rule, final) }
    }),
  )
}

/**
 * A directory with a name such as `Budget.part` or `Notes.asd` is a user's, and documents lie in
 * it. Secrets are about directories, too: the files in `keys.pem` may be keys.
 */
function kindOf(rule: string, final: boolean): NamePattern['kind'] {
  if (rule.endsWith('/')) return 'directory'
  return final || about_both.includes(rule) ? 'both' : 'file'
}

const final_patterns = compileGroups(final_groups, true)
const ordinary_patterns = compileGroups(ordinary_groups, false)
/** Final rules first: a name that matches both (`.env.tmp`) has the rule that cannot be lifted. */
const all_patterns = [...final_patterns, ...ordinary_patterns]

/**
 * All patterns in one, as a first test of each name. A `*` at an end is left out, and all but the
 * colon of those that have one: few names do. Endings stand together, so each dot is tried once.
 */
const any_shape = firstTest(all_patterns.map(({ shape }) => shape.source))

function firstTest(sources: readonly string[]): RegExp {
  const shorter = sources.map((source) =>
    source.includes(colons) ? colons : source.replace(/^\^\.\*|\.\*\$/, ''),
  )
  const endings = shorter.filter((source) => source.startsWith('\\.')).map((end) => end.slice(2))
  const others = shorter.filter((source) => !source.startsWith('\\.'))
  return new RegExp([...new Set(others), `\\.(?:${endings.join('|')})`].join('|'), 'is')
}

/**
 * Every default, for documents and tests. Dot-files come last, and need `dot_files` off.
 * @internal
 */
export const default_ignores: readonly DefaultIgnore[] = [...all_patterns, dot_file]

/** The default that ignores a name, if any: a final one first. Only other ones can be lifted. */
export function defaultIgnore(
  name: string,
  kind: 'file' | 'directory',
  dot_files: boolean,
  isLifted: (rule: DefaultIgnore) => boolean = never,
): DefaultIgnore | undefined {
  if (any_shape.test(name)) {
    const found = all_patterns.find(
      (pattern) => isAbout(pattern, name, kind) && (pattern.final || !isLifted(pattern)),
    )
    if (found !== undefined) return found
  }
  return !dot_files && name.charCodeAt(0) === 46 && !isLifted(dot_file) ? dot_file : undefined
}

const never = () => false

function isAbout(pattern: NamePattern, name: string, kind: 'file' | 'directory'): boolean {
  return (pattern.kind === 'both' || pattern.kind === kind) && pattern.shape.test(name)
}

/** Defaults, except final ones, that match a segment of a user's pattern as if it were a name. */
export function defaultsNamedBy(segment: string): DefaultIgnore[] {
  const named: DefaultIgnore[] = ordinary_patterns.filter(({ shape }) => shape.test(segment))
  if (segment.startsWith('.')) named.push(dot_file)
  return named
}
