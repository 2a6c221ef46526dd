import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readCovered } from '../../../src/prompts/configure-prompts.ts'
import { manifestPath, manifestText, parseManifest } from '../../../src/prompts/manifest.ts'
import { composeReport, coverageOf } from '../../../src/prompts/report/report.ts'
import { reportFileName, writeReportFile } from '../../../src/prompts/report/report-file.ts'
import { makeTree } from '../../rig/tree.ts'
import {
  asRunAsset,
  assetOf,
  due_ms,
  hostile_name,
  runOf,
  settingsOf,
  turnOf,
} from '../settings.ts'

const file_name = '{{name}}-{{date}}.md'
const ids = { prompt: 'weekly-digest', project_id: 'project_00000000000000000000' }

function write(dir: string, changes: Parameters<typeof runOf>[0] = {}, name = file_name): string {
  const settings = settingsOf({ report: { dir, file_name: name } })
  const run = runOf({ assets: [asRunAsset(assetOf(1))], ...changes })
  return writeReportFile(
    settings,
    composeReport(run, settings, coverageOf(run), { now_ms: due_ms }),
  ).path
}

test('report and manifest lie side by side in a private directory', () => {
  const dir = join(makeTree(), 'deep/reports')
  const path = write(dir)
  expect(path).toBe(join(dir, 'weekly-digest-2026-11-23.md'))
  expect(readFileSync(path, 'utf8')).toContain('Nothing much.')
  expect(JSON.parse(readFileSync(manifestPath(path), 'utf8')).due_ms).toBe(due_ms)
  expect(statSync(dir).mode & 0o777).toBe(0o700)
  expect(readdirSync(dir)).toHaveLength(2)
})

test('the same run gets the same name again, even if a crash left only the manifest', () => {
  const dir = makeTree()
  const path = write(dir)
  expect(write(dir)).toBe(path)
  rmSync(path)
  expect(write(dir)).toBe(path)
  expect(readdirSync(dir)).toHaveLength(2)
})

test('a run of the same name, another prompt, and foreign files are left alone', () => {
  const dir = makeTree({
    'weekly-digest-2026-11-23-3.md': 'mine',
    'weekly-digest-2026-11-23-4.json': '{"mine": true}',
  })
  const first = write(dir)
  const second = write(dir, { due_ms: due_ms + 1 })
  const third = write(dir, { prompt: 'other' })
  expect(second).toBe(join(dir, 'weekly-digest-2026-11-23-2.md'))
  expect(third).toBe(join(dir, 'weekly-digest-2026-11-23-5.md'))
  expect([write(dir), write(dir, { due_ms: due_ms + 1 }), write(dir, { prompt: 'other' })]).toEqual(
    [first, second, third],
  )
  expect(readFileSync(join(dir, 'weekly-digest-2026-11-23-3.md'), 'utf8')).toBe('mine')
})

test('an unusable directory is reported with its path', () => {
  const dir = join(makeTree({ file: '' }), 'file')
  expect(() => write(dir)).toThrowError(
    expect.objectContaining({
      code: 'prompts.report_unwritable',
      hint: expect.stringMatching(/directory/),
    }),
  )
  expect(() => write(dir)).toThrowError(new RegExp(`weekly-digest cannot be written to ${dir}`))
})

test('names stay inside the directory, and are neither hidden nor too long', () => {
  const templates = fc.oneof(
    hostile_name,
    fc.constantFrom('../../{{name}}', '/etc/passwd', '..', '.md', 'a/b.md', 'x'.repeat(400)),
  )
  fc.assert(
    fc.property(templates, (template) => {
      const settings = settingsOf({
        report: { dir: '/r', file_name: template.replaceAll('{{', '') },
      })
      const name = reportFileName(settings, { due_ms })
      expect(name).toMatch(/^[^./\s][^/\p{Cc}]*\.[A-Za-z]+$/u)
      expect(Buffer.byteLength(name)).toBeLessThan(200)
    }),
    { numRuns: 200 },
  )
  const dated = settingsOf({ report: { dir: '/r', file_name: '{{due}}' } })
  expect(reportFileName(dated, { due_ms })).toBe('2026-11-23T08-00+01-00.md')
})

test('covered contents are read back from the manifests, the oldest first; damaged manifests are reported', async () => {
  const dir = makeTree({
    'broken.json': '{',
    'broken.md': 'x',
    'others.json': '[1]',
    'notes.txt': 'x',
  })
  write(dir, { due_ms: due_ms + 86_400_000, assets: [asRunAsset(assetOf(2))] })
  write(dir)
  write(dir, { prompt: 'other' })
  write(dir, { project_id: 'project_11111111111111111111', due_ms: due_ms + 5 })
  const { facts, bad } = await readCovered(dir, ids)
  const began_ms = runOf().prompt_began_ms
  const covered = (content: number) => [{ md5: assetOf(content).md5, size: content + 1 }]
  expect(facts).toEqual([
    {
      type: 'covered_restored',
      prompt: 'weekly-digest',
      run_due_ms: due_ms,
      began_ms,
      covered: covered(1),
    },
    {
      type: 'covered_restored',
      prompt: 'weekly-digest',
      run_due_ms: due_ms + 86_400_000,
      began_ms,
      covered: covered(2),
    },
  ])
  expect(bad.map(({ path }) => path)).toEqual([join(dir, 'broken.json')])
})

test.each(['{{name}}.html', '{{name}}.log', '{{name}}.MD', '{{date}}'])(
  'covered contents are read back for any name of a report: %s',
  async (name) => {
    const dir = makeTree()
    write(dir, {}, name)
    expect((await readCovered(dir, ids)).facts).toMatchObject([{ run_due_ms: due_ms }])
  },
)

test('a manifest that is too large is made smaller, and its covered contents are read back', async () => {
  const dir = makeTree()
  const settings = settingsOf({ report: { dir, file_name } })
  const assets = Array.from({ length: 20_000 }, (_, content) =>
    asRunAsset(assetOf(content, `finance/${'x'.repeat(3_500)}${content}`)),
  )
  const run = runOf({ assets })
  const report = composeReport(run, settings, coverageOf(run), { now_ms: due_ms })
  const { path, left_out } = writeReportFile(settings, report)
  expect(left_out).toContain('all of the files but md5 and size')
  expect(writeReportFile(settings, report).path, 'the same name again').toBe(path)
  const { facts, bad } = await readCovered(dir, ids)
  expect([bad, facts.map(({ covered }) => covered.length)]).toEqual([[], [assets.length]])
})

test('a manifest leaves out only as much as necessary', () => {
  const settings = settingsOf()
  const run = runOf({
    assets: [1, 2, 3].map((content) => asRunAsset(assetOf(content))),
    turns: [turnOf('{"prompt":""}', 'x'.repeat(3_000))],
  })
  const { manifest } = composeReport(run, settings, coverageOf(run), { now_ms: due_ms })
  const bytes = Buffer.byteLength(JSON.stringify(manifest)) + 1
  const kept = (max_bytes: number) => {
    const { text, left_out } = manifestText(manifest, max_bytes)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(max_bytes)
    expect(parseManifest(text)?.assets).toHaveLength(3)
    return { left_out, ...(JSON.parse(text) as typeof manifest) }
  }
  expect(kept(1e6)).toEqual({ ...manifest, left_out: undefined })
  expect(kept(bytes)).toEqual({ ...manifest, left_out: undefined })
  expect(kept(bytes - 1)).toMatchObject({
    left_out: 'the questions and answers',
    assets: JSON.parse(JSON.stringify(manifest.assets)),
  })
  expect(kept(bytes - 3_200).assets).toEqual(
    manifest.assets.map(({ md5, size }) => ({ md5, size })),
  )
  expect(() => manifestText(manifest, 500)).toThrowError(
    'the manifest of 3 files is larger than 500 bytes',
  )
})

test('a manifest without its report belongs to a run that was not reported', async () => {
  const dir = makeTree()
  const report = write(dir)
  rmSync(report)
  expect(await readCovered(dir, ids)).toEqual({ facts: [], bad: [] })
})

test('a missing directory covers nothing; a path that is no directory is reported', async () => {
  const dir = makeTree()
  expect(await readCovered(join(dir, 'missing'), ids)).toEqual({ facts: [], bad: [] })
  writeFileSync(join(dir, 'file'), '')
  const { bad } = await readCovered(join(dir, 'file'), ids)
  expect(bad).toHaveLength(1)
  expect(existsSync(join(dir, 'missing'))).toBe(false)
})
