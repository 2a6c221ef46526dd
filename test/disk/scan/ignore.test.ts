import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createIgnoreRules,
  type IgnoreRules,
  type IgnoreSpec,
} from '../../../src/disk/scan/ignore.ts'
import { addToTree, makeTree } from '../../rig/tree.ts'

const plain: IgnoreSpec = { include: [], exclude: [], dot_files: false }

function rulesFor(tree: Record<string, string>, spec: Partial<IgnoreSpec> = {}) {
  const root = makeTree(tree)
  return { root, ...createIgnoreRules(root, { ...plain, ...spec }) }
}

/** The rule that ignores the path, or undefined. */
function ruleOf(verdict: ReturnType<IgnoreRules['verdict']>): string | undefined {
  return verdict.ignored ? verdict.rule : undefined
}

describe('.sluiceignore', () => {
  test('the verdict names the pattern, the file and the line', () => {
    const { root, verdict } = rulesFor({ 'a/.sluiceignore': '# drafts\n\n*.draft\n' })
    expect(verdict('a/x.draft', 'file')).toEqual({
      ignored: true,
      rule: '*.draft',
      source: `${join(root, 'a/.sluiceignore')}:3`,
      reason: 'excluded by a .sluiceignore file',
    })
    expect(verdict('x.draft', 'file')).toEqual({ ignored: false })
  })

  test('the deeper file decides, also by negations', () => {
    const { verdict } = rulesFor({
      '.sluiceignore': '*.log\n!keep.log\nbuild/\n',
      'deep/.sluiceignore': '!*.log\n/only-here.txt\n',
      'deep/er/.sluiceignore': '*.log\n',
    })
    expect(ruleOf(verdict('a.log', 'file'))).toBe('*.log')
    expect(verdict('keep.log', 'file').ignored).toBe(false)
    expect(verdict('deep/a.log', 'file').ignored).toBe(false)
    expect(verdict('deep/er/a.log', 'file').ignored).toBe(true)
    expect(verdict('deep/only-here.txt', 'file').ignored).toBe(true)
    expect(verdict('deep/er/only-here.txt', 'file').ignored).toBe(false)
  })

  test('a file in an ignored directory is ignored by its rule and cannot be included again', () => {
    const { verdict } = rulesFor({
      '.sluiceignore': 'build/\n!build/keep.txt\n',
      'build/.sluiceignore': '!*\n',
    })
    expect(ruleOf(verdict('build', 'directory'))).toBe('build/')
    expect(ruleOf(verdict('build/deep/keep.txt', 'file'))).toBe('build/')
    expect(verdict('build', 'file').ignored).toBe(false)
  })

  test("glob characters in a directory's name are taken literally", () => {
    const { verdict } = rulesFor({ 'a[1]*/.sluiceignore': 'x.txt\n', 'a1/y': '' })
    expect(verdict('a[1]*/x.txt', 'file').ignored).toBe(true)
    expect(verdict('a1/x.txt', 'file').ignored).toBe(false)
    expect(verdict('a1b/x.txt', 'file').ignored).toBe(false)
  })

  test('the file itself is never uploaded, not even by a negation', () => {
    const { verdict } = rulesFor(
      { '.sluiceignore': '!.sluiceignore\n' },
      { dot_files: true, include: ['.sluiceignore'] },
    )
    expect(verdict('.sluiceignore', 'file').ignored).toBe(true)
    expect(verdict('deep/.sluiceignore', 'file').ignored).toBe(true)
  })

  test('a changed file counts after forget', () => {
    const { root, verdict, forget } = rulesFor({ 'a/b/c.txt': '' })
    expect(verdict('a/b/c.txt', 'file').ignored).toBe(false)
    addToTree(root, { 'a/.sluiceignore': 'c.txt' })
    expect(verdict('a/b/c.txt', 'file').ignored).toBe(false)
    forget('a')
    expect(verdict('a/b/c.txt', 'file').ignored).toBe(true)
  })

  test('an unusable file is read again at the next question', () => {
    const { root, verdict } = rulesFor({ 'a/b/c.txt': '' })
    symlinkSync('/etc/hostname', join(root, 'a/.sluiceignore'))
    expect(verdict('a/b/c.txt', 'file')).toMatchObject({ rule: '.sluiceignore', passing: true })
    rmSync(join(root, 'a/.sluiceignore'))
    expect(verdict('a/b/c.txt', 'file').ignored).toBe(false)
  })

  test.each([
    [
      'a symbolic link',
      'it is a symbolic link',
      (file: string) => symlinkSync('/etc/hostname', file),
    ],
    ['a directory', 'it is not a regular file', (file: string) => mkdirSync(file)],
    ['a FIFO', 'it is not a regular file', (file: string) => void execFileSync('mkfifo', [file])],
    [
      'beyond 1 MiB',
      'it is larger than 1 MiB',
      (file: string) => writeFileSync(file, 'x\n'.repeat(600_000)),
    ],
    [
      'of too many lines',
      'it has more than 10,000 lines',
      (file: string) => writeFileSync(file, 'x\n'.repeat(20_000)),
    ],
    [
      'UTF-16',
      'it is not UTF-8 text',
      (file: string) => writeFileSync(file, Buffer.from('secret/\n', 'utf16le')),
    ],
  ])('a file that is %s closes its directory: nothing below it is uploaded', (_what, why, make) => {
    const root = makeTree({ 'a/b/x.txt': '', 'y.txt': '' })
    make(join(root, 'a/.sluiceignore'))
    const { verdict } = createIgnoreRules(root, plain)
    expect(verdict('a/b/x.txt', 'file')).toMatchObject({
      rule: '.sluiceignore',
      source: `${join(root, 'a/.sluiceignore')}:1`,
      reason: expect.stringContaining(why),
    })
    expect(verdict('y.txt', 'file').ignored).toBe(false)
  })
})

describe('include and exclude in the config', () => {
  test('exclude names its pattern, and a .sluiceignore does not undo it', () => {
    const { verdict } = rulesFor(
      { '.sluiceignore': '!*.iso\n!old/\n' },
      { exclude: ['*.iso', '/old/', '!good.iso'] },
    )
    expect(verdict('x.iso', 'file')).toMatchObject({ rule: '*.iso', source: 'config exclude' })
    expect(verdict('good.iso', 'file').ignored).toBe(false)
    expect(verdict('old', 'directory').ignored).toBe(true)
    expect(verdict('deep/old', 'directory').ignored).toBe(false)
  })

  test('include allows only what it names, and directories are still walked', () => {
    const { verdict } = rulesFor({}, { include: ['*.pdf', 'docs/'] })
    expect(verdict('a/b/x.pdf', 'file').ignored).toBe(false)
    expect(verdict('docs/deep/x.txt', 'file').ignored).toBe(false)
    expect(verdict('a/b', 'directory').ignored).toBe(false)
    expect(verdict('a/b/x.txt', 'file')).toMatchObject({
      rule: '*.pdf, docs/',
      source: 'config include',
    })
  })

  test('names differ by case, as on the disk', () => {
    const { verdict } = rulesFor({}, { exclude: ['Draft*'] })
    expect(verdict('Draft 1.txt', 'file').ignored).toBe(true)
    expect(verdict('draft 1.txt', 'file').ignored).toBe(false)
  })
})

describe('an exception from a default rule', () => {
  test('is made by a pattern that names what the rule is for', () => {
    const { verdict } = rulesFor({ '.sluiceignore': '!*.tmp\n!node_modules/\n!/docs/.config\n' })
    expect(verdict('a/x.tmp', 'file').ignored).toBe(false)
    expect(verdict('a/node_modules/x/readme.md', 'file').ignored).toBe(false)
    expect(verdict('docs/.config/x.txt', 'file').ignored).toBe(false)
    expect(ruleOf(verdict('.config/x.txt', 'file'))).toBe('.*')
    expect(ruleOf(verdict('docs/.config/.hidden', 'file'))).toBe('.*')
    expect(ruleOf(verdict('.x.tmp', 'file'))).toBe('.*')
    expect(ruleOf(verdict('x.swp', 'file'))).toBe('*.swp')
  })

  test('is not made by a broad negation', () => {
    const { verdict } = rulesFor({ '.sluiceignore': '*\n!*/\n!*.docx\n' }, { include: ['*.docx'] })
    expect(verdict('a/report.docx', 'file').ignored).toBe(false)
    expect(ruleOf(verdict('a/~$report.docx', 'file'))).toBe('~$*')
    expect(ruleOf(verdict('a/.report.docx', 'file'))).toBe('.*')
    expect(ruleOf(verdict('.git', 'directory'))).toBe('.git')
  })

  test('holds below the .sluiceignore that makes it', () => {
    const { verdict } = rulesFor({ 'a/.sluiceignore': '!*.part\n' })
    expect(verdict('a/b/x.part', 'file').ignored).toBe(false)
    expect(verdict('x.part', 'file').ignored).toBe(true)
  })

  test('an include also allows the directories on its way', () => {
    const { verdict } = rulesFor({}, { include: ['.config/*.yaml', 'lab/.data/**'] })
    expect(verdict('.config/a.yaml', 'file').ignored).toBe(false)
    expect(verdict('.config/a.txt', 'file').ignored).toBe(true)
    expect(verdict('lab/.data/x/y.bin', 'file').ignored).toBe(false)
    expect(verdict('.data', 'directory').ignored).toBe(true)
    expect(verdict('sub/.config', 'directory').ignored).toBe(true)
  })

  test('no pattern allows a secret', () => {
    const names = [
      '.env',
      '.env.local',
      'id_rsa',
      'id_rsa.pub',
      'tls.pem',
      'TLS.KEY',
      'x.pfx',
      'safe.kdbx',
      '.netrc',
    ]
    const spec = {
      dot_files: true,
      include: ['*', ...names, '.ssh/**'],
      exclude: names.map((name) => `!${name}`),
    }
    const { verdict } = rulesFor(
      { '.sluiceignore': [...names, '.ssh', '.aws'].map((name) => `!${name}`).join('\n') },
      spec,
    )
    for (const name of names)
      expect([name, verdict(`a/${name}`, 'file')]).toMatchObject([name, { source: 'default' }])
    expect(verdict('.ssh/config', 'file').ignored).toBe(true)
    expect(verdict('.aws/x', 'file').ignored).toBe(true)
  })
})

const git = spawnSync('git', ['--version']).status === 0
if (!git)
  console.log('skipped: nested .sluiceignore files against git, because git is not installed')

test.skipIf(!git)('nested files mean the same as in git', () => {
  const name = fc.constantFrom('a', 'b', 'ab', 'a', 'b', 'a.b', 'B', 'c d', 'x!', '#h', '[q]', 'a*')
  const segment = fc.constantFrom(
    'a',
    'b',
    'ab',
    '*',
    '?',
    '**',
    'a*',
    '*b',
    '[ab]',
    '[!a]',
    '\\!x',
    'c\\ d',
    '\\#h',
    '[q]',
  )
  const pattern = fc
    .tuple(
      fc.constantFrom('', '', '!'),
      fc.constantFrom('', '/'),
      fc.array(segment, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', '/', ' ', '/ '),
    )
    .map(([sign, lead, segments, end]) => `${sign}${lead}${segments.join('/')}${end}`)
  const lines = fc.array(
    fc.oneof({ weight: 8, arbitrary: pattern }, fc.constantFrom('', '# c', '/', '!', '//a')),
    {
      minLength: 2,
      maxLength: 5,
    },
  )
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'))
  let ignored = 0
  fc.assert(
    fc.property(
      fc.array(path, { minLength: 8, maxLength: 14 }),
      fc.dictionary(fc.constantFrom('.', '.', 'a', 'b', 'a/b', 'ab', 'c d', '[q]', 'a*'), lines, {
        minKeys: 2,
        maxKeys: 4,
      }),
      (paths, files) => {
        const root = makeTree()
        execFileSync('git', ['init', '-q', root])
        for (const file of paths) tryToWrite(join(root, file), '')
        for (const [directory, patterns] of Object.entries(files))
          tryToWrite(join(root, directory, '.sluiceignore'), patterns.join('\n'))
        const by_git = execFileSync(
          'git',
          ['-C', root, 'ls-files', '-z', '--others', '--exclude-per-directory=.sluiceignore'],
          { encoding: 'utf8' },
        )
          .split('\0')
          .filter((file) => file !== '' && !file.endsWith('.sluiceignore'))
        const all = filesIn(root, '')
        const { verdict } = createIgnoreRules(root, { ...plain, dot_files: true })
        const ours = all.filter((file) => !verdict(file, 'file').ignored)
        ignored += all.length - ours.length
        expect(ours.sort()).toEqual(by_git.sort())
      },
    ),
    { numRuns: 60 },
  )
  expect(ignored).toBeGreaterThan(10)
})

/** Skips the file where a random tree has a file in place of a directory. */
function tryToWrite(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toMatch(/^(EEXIST|ENOTDIR|EISDIR)$/)
  }
}

function filesIn(root: string, directory: string): string[] {
  return readdirSync(join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = directory === '' ? entry.name : `${directory}/${entry.name}`
    if (path === '.git' || entry.name === '.sluiceignore') return []
    return entry.isDirectory() ? filesIn(root, path) : [path]
  })
}

describe('widening: skip', () => {
  const spec = { include: [], exclude: [], dot_files: false, widening: 'skip' } as const

  test('ignores a path below a directory that fewer people can read, until its permissions change', () => {
    const root = makeTree({ 'hr/deep/pay.txt': 'a number', 'open.txt': 'hello' })
    chmodSync(root, 0o755)
    chmodSync(join(root, 'hr'), 0o700)
    const rules = createIgnoreRules(root, spec)
    const skipped = { ignored: true, rule: 'widening: skip', source: 'config widening' }
    expect(rules.verdict('open.txt', 'file')).toEqual({ ignored: false })
    expect(rules.verdict('hr', 'directory')).toMatchObject(skipped)
    expect(rules.verdict('hr/deep', 'directory')).toMatchObject(skipped)
    expect(rules.verdict('hr/deep/pay.txt', 'file')).toMatchObject(skipped)
    chmodSync(join(root, 'hr'), 0o755)
    expect(rules.verdict('hr/deep/pay.txt', 'file')).toEqual({ ignored: false })
    chmodSync(join(root, 'hr'), 0o700)
    expect(rules.verdict('hr/deep/pay.txt', 'file')).toMatchObject(skipped)
  })

  test('does not ignore a missing path, and warn ignores nothing', () => {
    const root = makeTree({ 'hr/pay.txt': '' })
    chmodSync(root, 0o755)
    chmodSync(join(root, 'hr'), 0o700)
    expect(createIgnoreRules(root, spec).verdict('gone/x.txt', 'file')).toEqual({ ignored: false })
    expect(
      createIgnoreRules(root, { ...spec, widening: 'warn' }).verdict('hr/pay.txt', 'file').ignored,
    ).toBe(false)
  })
})
