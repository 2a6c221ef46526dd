import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { default_ignores, defaultIgnore } from '../../src/disk/default-ignores.ts'
import { createIgnoreRules } from '../../src/disk/scan/ignore.ts'
import { makeTree } from '../rig/tree.ts'

/** An example name for each rule, with the rule that must ignore it even when dot_files is on. */
const files: Record<string, string> = {
  '~$budget.xlsx': '~$*',
  'base.laccdb': '*.laccdb',
  'base.ldb': '*.ldb',
  '~Chapter~p965so.idlk': '*.idlk',
  '{6F2A}.onetmp': '*.onetmp',
  '.~lock.report.odt#': '.~lock.*#',
  'plan.dwl': '*.dwl',
  'plan.dwl2': '*.dwl2',
  'Backup of report.wbk': '*.wbk',
  'AutoRecovery save of report.asd': '*.asd',
  'Backup of budget.xlk': '*.xlk',
  'network.~vsdx': '*.~vsdx',
  'upload.tmp': '*.tmp',
  '~WRL0001.tmp': '*.tmp',
  '~syncthing~report.docx.tmp': '*.tmp',
  '.syncthing.report.docx.tmp': '*.tmp',
  'x.TEMP': '*.temp',
  '.goutputstream-K3J2': '.goutputstream-*',
  'a.js___jb_tmp___': '*___jb_tmp___',
  'a.js___jb_old___': '*___jb_old___',
  'notes.txt~': '*~',
  '.notes.txt.swp': '*.swp',
  'a.swo': '*.swo',
  'a.swx': '*.swx',
  '.#notes.org': '.#*',
  '#notes.org#': '#*#',
  '.nfs000000000001': '.nfs*',
  '.fuse_hidden0001': '.fuse_hidden*',
  'movie.part': '*.part',
  'x.partial': '*.partial',
  'x.filepart': '*.filepart',
  'setup.exe.crdownload': '*.crdownload',
  'x.download': '*.download',
  'x.opdownload': '*.opdownload',
  'x.!ut': '*.!ut',
  'x.!bt': '*.!bt',
  'x.!qB': '*.!qb',
  'x.!sync': '*.!sync',
  'x.pdf.bc!': '*.bc!',
  'x.avi.bt!': '*.bt!',
  'x.avi.fb!': '*.fb!',
  '~uTorrentPartFile_6CFDF57F9.dat': '~uTorrentPartFile_*.dat',
  'x.pdf.insyncdl': '*.insyncdl',
  'x.aria2': '*.aria2',
  'x.pdf.xltd': '*.xltd',
  'x.dtapart': '*.dtapart',
  'x.pdf.QTHX4A.dctmp': '*.dctmp',
  'x.pdf_.gstmp': '*.gstmp',
  '.DS_Store': '.DS_Store',
  '._photo.jpg': '._*',
  'Icon\r': 'Icon\r',
  'THUMBS.DB': 'Thumbs.db',
  'ehthumbs.db': 'ehthumbs.db',
  'Desktop.ini': 'desktop.ini',
  '.apdisk': '.apdisk',
  'pagefile.sys': 'pagefile.sys',
  'hiberfil.sys': 'hiberfil.sys',
  'swapfile.sys': 'swapfile.sys',
  'report.pdf:Zone.Identifier': '*:Zone.Identifier',
  'report.pdf\uF03AZone.Identifier': '*:Zone.Identifier',
  'report.pdf\uF022Zone.Identifier': '*:Zone.Identifier',
  'report.pdf:Zone.Identifier:$DATA': '*:$DATA',
  'report.pdf\uF022Zone.Identifier\uF022$DATA': '*:$DATA',
  'setup.exe:SmartScreen': '*.*:SmartScreen',
  'setup.exe\uF03ASmartScreen': '*.*:SmartScreen',
  'mail.eml:OECustomProperty': '*:OECustomProperty',
  'news.url:favicon': '*.url:favicon',
  'Thumbs.db:encryptable': 'Thumbs.db:encryptable',
  'Thumbs.db\uF022encryptable': 'Thumbs.db:encryptable',
  'report.pdf:AFP_AfpInfo': '*:AFP_AfpInfo',
  'report.pdf\uF022AFP_Resource': '*:AFP_Resource',
  'report.doc:\u2663SummaryInformation': '*:\u2663SummaryInformation',
  'report.doc:\u2663BnhqlkugBim0elg1M1pt2tjdZe': '*:\u2663BnhqlkugBim0elg1M1pt2tjdZe',
  'x.gif:{4c8cc155-6c1e-11d1-8e41-00c04fb9386d}': '*:{4c8cc155-6c1e-11d1-8e41-00c04fb9386d}',
  'report.pdf:com.apple.quarantine': '*:com.apple.quarantine',
  'report.pdf\uF022com.apple.quarantine': '*:com.apple.quarantine',
  'report.pdf:com.apple.FinderInfo': '*:com.apple.FinderInfo',
  'report.pdf:com.apple.ResourceFork': '*:com.apple.ResourceFork',
  'report.txt:com.apple.TextEncoding': '*:com.apple.TextEncoding',
  'report.pdf:com.apple.lastuseddate#PS': '*:com.apple.lastuseddate#PS',
  'report.pdf:com.apple.macl': '*:com.apple.macl',
  'report.pdf\uF022com.apple.provenance': '*:com.apple.provenance',
  'x.pdf:com.apple.metadata:kMDItemWhereFroms': '*:com.apple.metadata:kMDItemWhereFroms',
  'x.pdf:com.apple.metadata:kMDItemFinderComment': '*:com.apple.metadata:kMDItemFinderComment',
  'x.pdf\uF022com.apple.metadata\uF022_kMDItemUserTags': '*:com.apple.metadata:_kMDItemUserTags',
  'report.docx:com.dropbox.attributes': '*:com.dropbox.attributes',
  'report.docx:com.dropbox.attrs': '*:com.dropbox.attrs',
  'report.docx:com.dropbox.attributes:$DATA': '*:$DATA',
  'Report.docx.lnk': '*.lnk',
  'report.pdf@SynoEAStream': '*@SynoEAStream',
  'report.pdf@SynoResource': '*@SynoResource',
  '.stfolder': '.stfolder',
  '.stignore': '.stignore',
  '.sync_1a2b3c.db': '.sync_*.db',
  '.sync_1a2b3c.db-shm': '.sync_*.db-shm',
  '.sync_1a2b3c.db-wal': '.sync_*.db-wal',
  '.csync_journal.db-wal': '.csync_journal.db*',
  '.owncloudsync.log.1': '.owncloudsync.log*',
  '.nextcloudsync.log': '.nextcloudsync.log*',
  '.dropbox': '.dropbox',
  '.dropbox.attr': '.dropbox.attr',
  '.report.docx.icloud': '.*.icloud',
  '408291.tmp.driveupload': '*.tmp.driveupload',
  'x.pdf.tmp.drivedownload': '*.tmp.drivedownload',
  'sync.ffs_db': '*.ffs_db',
  'sync.ffs_lock': '*.ffs_lock',
  'report.docx.1a2b.ffs_tmp': '*.ffs_tmp',
  '.smbdeleteAAA1f2': '.smbdelete*',
  '.git': '.git',
  '.env': '.env*',
  '.envrc': '.env*',
  '.env.production': '.env*',
  id_rsa: 'id_rsa*',
  'id_rsa.pub': 'id_rsa*',
  id_dsa: 'id_dsa*',
  id_ecdsa: 'id_ecdsa*',
  id_ed25519_work: 'id_ed25519*',
  'x.ppk': '*.ppk',
  'server.pem': '*.pem',
  'Server.KEY': '*.key',
  'x.pfx': '*.pfx',
  'x.p12': '*.p12',
  'x.jks': '*.jks',
  'x.keystore': '*.keystore',
  'vault.kdbx': '*.kdbx',
  'vault.kdb': '*.kdb',
  '.netrc': '.netrc',
  _netrc: '_netrc',
  '.pgpass': '.pgpass',
  '.git-credentials': '.git-credentials',
  '.htpasswd': '.htpasswd',
  '.sluiceignore': '.sluiceignore',
}

const directories: Record<string, string> = {
  '.AppleDouble': '.AppleDouble/',
  '.Spotlight-V100': '.Spotlight-V100/',
  '.DocumentRevisions-V100': '.DocumentRevisions-V100/',
  '.TemporaryItems': '.TemporaryItems/',
  __MACOSX: '__MACOSX/',
  'Network Trash Folder': 'Network Trash Folder/',
  DfsrPrivate: 'DfsrPrivate/',
  '.stversions': '.stversions/',
  '.dropbox.cache': '.dropbox.cache/',
  _gsdata_: '_gsdata_/',
  '.fseventsd': '.fseventsd/',
  'System Volume Information': 'System Volume Information/',
  '@eaDir': '@eaDir/',
  '@tmp': '@tmp/',
  '@sharebin': '@sharebin/',
  '.SynologyWorkingDirectory': '.SynologyWorkingDirectory/',
  '.streams': '.streams/',
  '.tmp.drivedownload': '.tmp.drivedownload/',
  '.tmp.driveupload': '.tmp.driveupload/',
  'report.PDF.download': '*.pdf.download/',
  'report.doc.download': '*.doc.download/',
  'report.docx.download': '*.docx.download/',
  'report.xls.download': '*.xls.download/',
  'report.xlsx.download': '*.xlsx.download/',
  'report.ppt.download': '*.ppt.download/',
  'report.pptx.download': '*.pptx.download/',
  'all.zip.download': '*.zip.download/',
  '.snapshot': '.snapshot/',
  '.snapshots': '.snapshots/',
  '.zfs': '.zfs/',
  '#snapshot': '#snapshot/',
  '~snapshot': '~snapshot/',
  '@Recently-Snapshot': '@Recently-Snapshot/',
  '#recycle': '#recycle/',
  '@Recycle': '@Recycle/',
  '$RECYCLE.BIN': '$RECYCLE.BIN/',
  '$Recycle.Bin': '$RECYCLE.BIN/',
  '.recycle': '.recycle/',
  '.Trash': '.Trash/',
  '.Trashes': '.Trashes/',
  '.Trash-1000': '.Trash-*/',
  'lost+found': 'lost+found/',
  '.hg': '.hg/',
  '.svn': '.svn/',
  node_modules: 'node_modules/',
  '.ssh': '.ssh',
  '.aws': '.aws',
  '.azure': '.azure',
  '.kube': '.kube',
  '.docker': '.docker',
  '.gnupg': '.gnupg',
}

describe('each default rule ignores its example', () => {
  test.each(Object.entries(files))('the file %j by %s', (name, rule) => {
    expect(defaultIgnore(name, 'file', true)?.rule).toBe(rule)
  })

  test.each(Object.entries(directories))('the directory %j by %s', (name, rule) => {
    expect(defaultIgnore(name, 'directory', true)?.rule).toBe(rule)
  })

  test('every rule has an example and a reason', () => {
    const tested = new Set([...Object.values(files), ...Object.values(directories), '.*'])
    expect(default_ignores.map(({ rule }) => rule).filter((rule) => !tested.has(rule))).toEqual([])
    for (const { reason } of default_ignores) expect(reason.length).toBeGreaterThan(10)
  })
})

describe('each rule is about files, directories, or both', () => {
  /** Of each rule the first example: a file's, else a directory's. */
  const examples = new Map(
    [...Object.entries(directories), ...Object.entries(files)]
      .reverse()
      .map(([name, rule]) => [rule, name] as const),
  )
  /**
   * Ordinary rules about both. All other ones without a slash at their end leave directories alone.
   */
  const about_both = ['.git', '.stfolder', '.dropbox']

  test.each([...examples])('%s', (rule, name) => {
    const { final } = default_ignores.find((each) => each.rule === rule)!
    const is_about_both = final || about_both.includes(rule)
    const ruleOf = (kind: 'file' | 'directory') => defaultIgnore(name, kind, true)?.rule
    if (rule.endsWith('/')) expect(ruleOf('file')).not.toBe(rule)
    else expect(ruleOf('file')).toBe(rule)
    if (rule.endsWith('/') || is_about_both) expect(ruleOf('directory')).toBe(rule)
    else expect(ruleOf('directory')?.endsWith('/') ?? true).toBe(true)
  })

  test('a document is taken in from a directory with the name of any file that is left out', () => {
    const named = Object.entries(files).filter(([name, rule]) => {
      const { final } = default_ignores.find((each) => each.rule === rule)!
      return !final && !about_both.includes(rule) && directories[name] === undefined
    })
    const root = makeTree(Object.fromEntries(named.map(([name]) => [`${name}/a.docx`, 'text'])))
    const spec = { include: [], exclude: [], dot_files: true }
    const rules = createIgnoreRules(root, spec)
    const lost = named.filter(([name]) => rules.verdict(`${name}/a.docx`, 'file').ignored)
    expect(lost).toEqual([])
  })
})

test('dot-files are ignored unless dot_files is on', () => {
  expect(defaultIgnore('.profile', 'file', false)?.rule).toBe('.*')
  expect(defaultIgnore('.config', 'directory', false)?.rule).toBe('.*')
  expect(defaultIgnore('.profile', 'file', true)).toBeUndefined()
})

test('a name that fits a secret rule and another one counts as a secret', () => {
  expect(defaultIgnore('.env.tmp', 'file', true)).toMatchObject({ rule: '.env*', final: true })
  expect(defaultIgnore('~$key.pem', 'file', true)).toMatchObject({ final: true })
})

/** Names that people give. Each resembles a rule. */
const documents = [
  'report.docx',
  'keys.txt',
  'environment.md',
  'a~b.txt',
  '~budget.xlsx',
  '#1 plan.md',
  '#recycling.docx',
  '$10.txt',
  '@home rules.pdf',
  'x.pem.txt',
  'swp',
  'part',
  'Part 2.docx',
  'partial results.xlsx',
  'download.pdf',
  'downloads 2026.md',
  'id_rs',
  '日本.txt',
  'Zone.Identifier explained.docx',
  'Zone.Identifier',
  'minutes: Monday.docx',
  'ratio 1:2.xlsx',
  'the $DATA stream.txt',
  'Windows:SmartScreen',
  'site:favicon',
  'disks:encryptable',
  'a:com.apple.quarantine.docx',
  'com.apple.quarantine',
  'AFP_AfpInfo',
  'SummaryInformation',
  'classes.td',
  'report.td.cfg',
  'pagefile.sys.docx',
  'about swapfile.txt',
  '~uTorrentPartFile_notes.docx',
  'driveupload.md',
  'tmp.driveupload.docx',
  'onetmp',
  'idlk.txt',
  'hello.jc!',
  'DATA',
  'Thumbs.db.md',
  'about desktop.ini.txt',
  'shortcuts.lnk.txt',
  'Backup of contract.docx',
  'AutoRecovery save of contract.docx',
  'contract.bak',
  'contract.old',
  'contract.docx.orig',
  'site plan.dwg',
  'sync.log',
  'sync.db',
  'dropbox.docx',
  'icloud.pdf',
  'notes.icloud',
  'move to.nextcloud',
  'move to.owncloud',
  'Network Trash Folder.docx',
  'gsdata.xlsx',
  'lost+found.docx',
  'snapshot.png',
  'DfsrPrivate.docx',
  'ffs_db.md',
  // Conflict copies of Dropbox, Nextcloud, Syncthing, OneDrive and Synology.
  "report (Anna's conflicted copy 2026-01-02).docx",
  'report (conflicted copy 2026-01-02 101112).docx',
  'report_conflict-20260102-101112.docx',
  'report.sync-conflict-20260102-101112-ABCDEFG.docx',
  'report-DESKTOP-AB12CD.docx',
  'report_Anna_Jan-02-101112-2026_Conflict.docx',
]

describe('what people write is never left out', () => {
  test.each(documents)('the document %j', (name) => {
    expect(defaultIgnore(name, 'file', false)).toBeUndefined()
  })

  test.each([
    'Recycler',
    'Recovery',
    'Temporary Items',
    'Trash',
    'recycle',
    'snapshots',
    'Snapshot 2026',
    'tmp',
    'temp',
    'Backup',
    'Sync',
    'Dropbox',
    'streams',
    'eaDir',
    'MACOSX',
    'Downloads',
    'Q1.download',
    'release-1.2.download',
    'reports.download',
    'report.pdf',
    'Budget.part',
    'Notes.asd',
    'X.tmp',
    '#plan#',
    'old~',
    '~$drafts',
    'Thumbs.db',
    'desktop.ini',
    'base.ldb',
    'tmp.driveupload',
    'archive.aria2',
    'minutes:AFP_AfpInfo',
  ])('the folder %j', (name) => {
    expect(defaultIgnore(name, 'directory', false)).toBeUndefined()
  })

  test('any name that begins with a letter or a digit and ends as a document', () => {
    const endings =
      'docx doc odt rtf pdf txt md xlsx xls ods csv pptx ppt odp html eml msg png jpg tiff vsdx dwg json xml'
    const beginning = fc.constantFrom(...'abcdefghijklmnoprstuvwxyzäßéЖ日0123456789')
    const stem = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom(...documents, ...Object.keys(files), ...Object.keys(directories)),
    )
    const ending = fc.constantFrom(...endings.split(' '))
    fc.assert(
      fc.property(beginning, stem, ending, (first, middle, last) => {
        const name = `${first}${middle}.${last}`
        fc.pre(!/^id_(rsa|dsa|ecdsa|ed25519)/i.test(name))
        expect(defaultIgnore(name, 'file', false)).toBeUndefined()
      }),
      { numRuns: 500 },
    )
  })
})

describe('docs/ignore.md', () => {
  const page = readFileSync('docs/ignore.md', 'utf8')

  test('lists every built-in rule', () => {
    const missing = default_ignores
      .map(({ rule }) => rule.replace('\r', '\\r').replace('\u2663', '♣'))
      .filter((rule) => !page.includes(`\`${rule}\``))
    expect(missing).toEqual([])
  })

  test('says of each row what else it could catch and where it comes from', () => {
    const rows = page
      .slice(page.indexOf('## Built-in rules'))
      .split('\n')
      .filter((line) => line.startsWith('| `'))
    expect(rows.length).toBeGreaterThan(30)
    for (const row of rows) {
      const cells = row.split('|').map((cell) => cell.trim())
      expect(cells, row).toHaveLength(6)
      expect(cells.slice(1, 5).every((cell) => cell !== '')).toBe(true)
      for (const [, source = ''] of row.matchAll(/\[([^\]]+)\](?!\()/g))
        expect(page).toContain(`\n[${source}]: https://`)
    }
  })
})
