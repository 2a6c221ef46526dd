import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { default_ignores, defaultIgnore } from '../../src/disk/default-ignores.ts'

/** An example name for each rule, with the rule that must ignore it even when dot_files is on. */
const files: Record<string, string> = {
  '~$budget.xlsx': '~$*',
  'base.laccdb': '*.laccdb',
  '.~lock.report.odt#': '.~lock.*#',
  'upload.tmp': '*.tmp',
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
  'x.aria2': '*.aria2',
  '.DS_Store': '.DS_Store',
  '._photo.jpg': '._*',
  'Icon\r': 'Icon\r',
  'THUMBS.DB': 'Thumbs.db',
  'ehthumbs.db': 'ehthumbs.db',
  'Desktop.ini': 'desktop.ini',
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

test.each([
  'report.docx',
  'keys.txt',
  'environment.md',
  'a~b.txt',
  '#1 plan.md',
  '$10.txt',
  'x.pem.txt',
  'swp',
  'part',
  'id_rs',
  '日本.txt',
])('an ordinary name is not ignored: %s', (name) => {
  expect(defaultIgnore(name, 'file', false)).toBeUndefined()
})

test('docs/ignore.md lists every built-in rule', () => {
  const page = readFileSync('docs/ignore.md', 'utf8')
  const missing = default_ignores
    .map(({ rule }) => rule.replace('\r', '\\r'))
    .filter((rule) => !page.includes(`\`${rule}\``))
  expect(missing).toEqual([])
})
