import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Home } from '../sluice.ts'

const odd = '\0\x01 no PDF'
const tree = {
  'a.txt': 'The lease ends in May.\n',
  'copy of a.txt': 'The lease ends in May.\n',
  'old/a.txt': 'The lease ends in May.\n',
  'b.txt': 'The harbour opens in June.\n',
  'odd.pdf': odd,
  'copy of odd.pdf': odd,
}

test('with copies, the report, its list, status and ask count the same files and say what is a copy', async () => {
  const home = await Home.make(tree)
  const reports = join(home.path, 'reports')
  const digest = {
    name: 'digest',
    cron: '0 0 29 2 *',
    timezone: 'UTC',
    prompt: 'What is new? {{files}}',
    scope: { folders: ['docs'] },
    read: 'every_file',
    first_run: 'all',
    deliver: [{ file: { dir: reports, name: '{{name}}.md' } }],
  }
  home.configure({ prompts: [digest] })
  const run = async (...args: string[]) => (await home.inProcess(...args)).out

  const covered = 'asked about 4 files (2 are copies of others): 2 read whole; 2 named'
  const refused = /2 refused \(docs\/(copy of )?odd\.pdf, docs\/(copy of )?odd\.pdf\)/
  const dry = await run('prompts', 'run', 'digest', '--dry-run')
  expect(dry, 'before the first pass the ledger knows no file').toContain('nothing new')
  const text = await run('prompts', 'run', 'digest')
  expect(text).toContain(covered)
  expect(text).toMatch(refused)

  const report = readFileSync(join(reports, 'digest.md'), 'utf8')
  expect(report).toContain(`*${covered}`)
  expect(report).toMatch(
    /files_ready: 4\nfiles_expected: 6\nfiles_asked: 4\nfiles_read: 2\nfiles_named: 2\nfiles_covered: 4\nfiles_refused: 2\n/,
  )
  const lines = report.match(/^- .*$/gm)!.slice(0, 5)
  expect(lines.filter((line) => /^- `docs\/.*odd\.pdf`: refused: /.test(line))).toHaveLength(2)
  expect(lines.filter((line) => /^- `docs\/\w+\.txt`: new, /.test(line))).toHaveLength(2)
  expect(lines.at(-1)).toBe('- … 2 more files have the same bytes as one of these')

  const status = await run('status')
  expect(status).toContain('4 files ready; 2 need attention: 2 refused')
  expect(status).toContain('written, 4 files')
  expect(await run('prompts', 'list')).toContain('1: written, 4 files')
  expect(await run('prompts', 'history', 'digest')).toMatch(/written +4 /)
  const shown = JSON.parse(await run('prompts', 'show', '1', '--json'))
  expect([shown.files, shown.assets, shown.covered.length]).toEqual([4, 2, 2])
  expect(await run('ask', 'When does the lease end?', '--folder', 'docs')).toContain(
    'asked about 4 files of docs (2 are copies of others)',
  )
})
