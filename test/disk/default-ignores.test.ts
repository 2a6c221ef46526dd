import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { default_ignores, defaultIgnore } from '../../src/disk/default-ignores.ts'

/** An example name for each rule, with the rule that must ignore it even when dot_files is on. */
const files: Record<string, string> = {
  '~$budget.xlsx': '~$*',
  'base.laccdb': '*.laccdb',
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
  'x.pdf.insyncdl': '*.insyncdl',
  'x.aria2': '*.aria2',
  '.DS_Store': '.DS_Store',
  '._photo.jpg': '._*',
  'Icon\r': 'Icon\r',
  'THUMBS.DB': 'Thumbs.db',
  'ehthumbs.db': 'ehthumbs.db',
  'Desktop.ini': 'desktop.ini',
  '.apdisk': '.apdisk',
  'report.pdf:Zone.Identifier': '*:Zone.Identifier',
  'report.pdf\uF03AZone.Identifier': '*\uF03AZone.Identifier',
  'report.pdf:Zone.Identifier:$DATA': '*:$DATA',
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
    const as_file = defaultIgnore(name, 'file', true)?.rule
    expect(as_file).toBe(rule.endsWith('/') ? undefined : rule)
  })

  test('every rule has an example and a reason', () => {
    const tested = new Set([...Object.values(files), ...Object.values(directories), '.*'])
    expect(default_ignores.map(({ rule }) => rule).filter((rule) => !tested.has(rule))).toEqual([])
    for (const { reason } of default_ignores) expect(reason.length).toBeGreaterThan(10)
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
      .map(({ rule }) => rule.replace('\r', '\\r').replace('\uF03A', '\\uF03A'))
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
