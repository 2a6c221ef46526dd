import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { codeSpan } from '../../../src/base/text/format.ts'
import { message_values } from '../../../src/config/schema/schema-deliver.ts'
import { templateValues } from '../../../src/deliver/message.ts'
import { manifestPath, parseManifest } from '../../../src/prompts/manifest.ts'
import { composeCoverage } from '../../../src/prompts/plan/coverage.ts'
import { missingLabel } from '../../../src/prompts/plan/plan-run.ts'
import { composeReport, coverageOf, reportMessage } from '../../../src/prompts/report/report.ts'
import {
  asRunAsset,
  assetOf,
  due_ms,
  hostile_name,
  runOf,
  settingsOf,
  tallyOf,
  turnOf,
  unreadyOf,
} from '../settings.ts'

const folder = {
  name: 'finance',
  online: true,
  offline_reason: undefined,
  scan_began_ms: due_ms,
  scan_ended_ms: due_ms,
}

function filledRun(names: readonly string[] = ['finance/a.pdf']) {
  const fresh = names.map((name, index) => assetOf(index, name))
  const unready = tallyOf([
    unreadyOf('refused.pdf', { stage: 'refused', content: 99, why: 'not *readable*' }),
  ])
  const coverage = JSON.stringify(
    composeCoverage({ fresh, taken: fresh, unready, folders: [folder], due_ms }),
  )
  const refusals = [
    {
      content: 99,
      md5: 'f'.repeat(32),
      size: 1,
      name: 'finance/refused.pdf',
      why: 'not *readable*',
    },
  ]
  const assets = fresh.map((asset) => asRunAsset(asset))
  return runOf({ assets, refusals, coverage, notes: ['the turn was sent again'] })
}

function reportOf(run = filledRun(), settings = settingsOf()) {
  return composeReport(run, settings, coverageOf(run), { now_ms: due_ms + 10_000 })
}

function frontMatterIn(markdown: string): Record<string, unknown> {
  const lines = markdown.split('\n')
  expect(lines[0]).toBe('---')
  return parse(lines.slice(1, lines.indexOf('---', 1)).join('\n'))
}

test('the scope in the front matter is the one of the question', () => {
  const [there, gone] = ['chat_00000000000000000001', 'chat_00000000000000000002']
  const body = JSON.stringify({
    prompt: 'What is new?',
    scope: { label_ids: ['label_1'], chat_ids: [there] },
  })
  const run = runOf({ turns: [turnOf(body, 'Nothing.')], notes: [missingLabel('mistyped')] })
  const { scope } = settingsOf()
  const settings = settingsOf({
    scope: { ...scope, labels: ['contract', 'mistyped'], chats: [there!, gone!] },
  })
  const fields = frontMatterIn(reportOf(run, settings).markdown)
  expect(fields).toMatchObject({ labels: ['contract'], chats_in_scope: [there] })
  expect(fields).not.toHaveProperty('projects')
})

test('front matter, the head, the answer and notes', () => {
  const line =
    'asked about 1 file; the service does not say which it read; names none of its 1 file; 1 refused (finance/refused.pdf)'
  const { markdown } = reportOf()
  expect(frontMatterIn(markdown)).toEqual({
    name: 'weekly-digest',
    due: '2026-11-23T08:00+01:00',
    cause: 'schedule',
    asked: '2026-11-23T08:00:01+01:00',
    answered: '2026-11-23T08:00:09+01:00',
    intelligence: 'expert',
    chats: ['chat_00000000000000000001'],
    messages: ['message_00000000000000000000'],
    fresh: 'since_last_run',
    folders: ['finance'],
    coverage: line,
    files_ready: 1,
    files_expected: 2,
    files_asked: 1,
    files_named: 0,
    files_covered: 1,
    files_refused: 1,
    files_next_time: 0,
  })
  expect(markdown.slice(markdown.indexOf('\n---\n') + 5)).toBe(`
# weekly-digest, 23 November 2026

Question: What is new?

Period: 16 Nov 2026, 08:00 to 23 Nov 2026, 08:00 (Europe/Berlin)

**1 new · 1 refused**

*${line}*

- \`finance/a.pdf\`: new, 23 Nov 2026, 07:59, 1 B
- \`finance/refused.pdf\`: refused: not \\*readable\\*

---

Nothing much.

## Notes

- the turn was sent again
`)
})

test('with several turns, the closing answer comes first, then its parts', () => {
  const turns = ['one', 'two', 'all'].map((answer, index) =>
    turnOf('{"prompt":"x"}', answer, index),
  )
  const { markdown, manifest } = reportOf({ ...filledRun(), turns })
  const places = [
    '\n*asked about 1 file',
    '\nall\n',
    '## Part 1 of 2\n\none\n',
    '## Part 2 of 2\n\ntwo\n',
    '## Notes',
  ].map((text) => markdown.indexOf(text))
  expect(places).toEqual([...places].sort((a, b) => a - b))
  expect(places[0]).toBeGreaterThan(0)
  expect(manifest.chat_ids).toEqual(['chat_00000000000000000001'])
  expect(manifest.turns.map(({ answer }) => answer)).toEqual(['one', 'two', 'all'])
})

test('many files do not bury the answer, and the manifest has all of them', () => {
  const { markdown, manifest } = reportOf(
    filledRun(Array.from({ length: 260 }, (_, index) => `finance/${index}.pdf`)),
  )
  const [, head = '', body = ''] = markdown.split('\n---\n')
  expect(head).toMatch(
    /- `finance\/19\.pdf`: [^\n]+\n- `finance\/refused.pdf`: [^\n]+\n- … 180 more behind the answer\n$/,
  )
  expect(body).toMatch(/^\nNothing much\.\n[\s\S]+## More files\n\n- `finance\/20\.pdf`/)
  expect(body).toMatch(/- `finance\/199\.pdf`: [^\n]+\n- … and 60 more, in the manifest\n$/)
  expect(manifest.assets).toHaveLength(260)
})

test('the manifest has the exact question, and can be read again', () => {
  const { manifest } = reportOf()
  expect(manifest).toMatchObject({
    version: 1,
    run_line: 'Run weekly-digest 2026-11-23T08:00+01:00',
    assets: [
      {
        asset_id: 'asset_00000000000000000000',
        size: 1,
        arrived: '2026-11-23T06:59:00.000Z',
        turn: 0,
      },
    ],
    turns: [{ body: '{"prompt":"What is new?"}', answer: 'Nothing much.' }],
    notes: ['the turn was sent again'],
  })
  expect(parseManifest(JSON.stringify(manifest))).toMatchObject({ prompt: 'weekly-digest', due_ms })
  expect(parseManifest('{"some":"other"}')).toBeUndefined()
  expect(() => parseManifest(JSON.stringify({ ...manifest, version: 2 }))).toThrowError(/version/)
  expect(() =>
    parseManifest(JSON.stringify({ ...manifest, assets: [{ md5: 'x', size: 1 }] })),
  ).toThrowError(/field/)
})

test('property: with any names the front matter is YAML with these values, and each file is one line', () => {
  fc.assert(
    fc.property(fc.array(hostile_name, { minLength: 1, maxLength: 5 }), (names) => {
      const settings = settingsOf({ scope: { ...settingsOf().scope, folders: names } })
      const { markdown } = reportOf(filledRun(names), settings)
      const fields = frontMatterIn(markdown)
      expect(fields).toMatchObject({
        name: 'weekly-digest',
        folders: names,
        files_covered: names.length,
      })
      expect(Object.keys(fields)).toHaveLength(18)
      const lines = markdown.split(/[\n\r\u0085\u2028\u2029]/)
      const files = lines.filter((line) => /^- .*: new, 23 Nov 2026, /.test(line))
      expect(files).toHaveLength(names.length)
    }),
    { numRuns: 200 },
  )
})

test('front matter holds any text unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const settings = settingsOf({ scope: { ...settingsOf().scope, folders: [text] } })
      const fields = frontMatterIn(reportOf(runOf({ prompt: text }), settings).markdown)
      expect({ text: fields.name, list: fields.folders }).toEqual({ text, list: [text] })
    }),
    { numRuns: 300 },
  )
})

test('no name can close a code span', () => {
  expect([codeSpan('a'), codeSpan('a`b'), codeSpan('``'), codeSpan('')]).toEqual([
    '`a`',
    '`` a`b ``',
    '``` `` ```',
    '`  `',
  ])
})

const delivery = { report_path: '/r/weekly.md', target: 'hook' }

test('templates of deliveries know exactly the values of a message', () => {
  const written = { ...filledRun(), state: 'written' as const, written_ms: due_ms }
  const message = reportMessage({ written, ...delivery }, settingsOf())
  expect(Object.keys(templateValues(message)).sort()).toEqual([...message_values].sort())
  expect(Object.keys(templateValues({ ...message, values: {} })).sort()).toEqual([
    'at',
    'id',
    'subject',
    'text',
  ])
})

test('the message of a run is the same at every try, and has its values', () => {
  const written = { ...filledRun(), state: 'written' as const, written_ms: due_ms + 20_000 }
  const message = reportMessage({ written, ...delivery }, settingsOf())
  expect(message).toEqual(
    reportMessage({ written: { ...written, run: 77 }, ...delivery }, settingsOf()),
  )
  expect(message).toMatchObject({
    id: expect.stringMatching(/^run_[0-9a-f]{24}$/),
    subject: 'weekly-digest 2026-11-23: 1 new, 1 refused',
    at_ms: due_ms + 20_000,
    values: {
      name: 'weekly-digest',
      date: '2026-11-23',
      report: '/r/weekly.md',
      manifest: '/r/weekly.json',
      count: '1',
    },
    data: { answer: 'Nothing much.', head: { counts: '1 new · 1 refused' } },
  })
  expect(message.text).toMatch(
    /^# weekly-digest, 23 November 2026\n[\s\S]+\n---\n\nNothing much\.\n/,
  )
  expect(reportMessage({ written, ...delivery, target: 'other' }, settingsOf()).id).not.toBe(
    message.id,
  )
  const next = reportMessage(
    { written: { ...written, due_ms: due_ms + 1 }, ...delivery },
    settingsOf(),
  )
  expect(next.id).not.toBe(message.id)
  const elsewhere = { ...written, project_id: 'project_11111111111111111111' }
  expect(reportMessage({ written: elsewhere, ...delivery }, settingsOf()).id).not.toBe(message.id)
})

test.each([
  ['/r/a.md', '/r/a.json'],
  ['/r/a', '/r/a.json'],
  ['/r/a.json', '/r/a.json.json'],
  ['/r/a-2026.11', '/r/a-2026.11.json'],
])('the manifest of %s is %s', (report, manifest) => {
  expect(manifestPath(report)).toBe(manifest)
})

test('an open code fence of an answer hides neither its parts nor the notes', () => {
  const turns = ['One\n```\nls', 'Whole\n~~~'].map((text) => turnOf('{"prompt":"x"}', text))
  const run = runOf({ turns, notes: ['a note'] })
  const { markdown } = composeReport(run, settingsOf(), coverageOf(run), { now_ms: due_ms })
  expect(markdown).toContain(
    '\nWhole\n~~~\n~~~\n\n## Part 1 of 1\n\nOne\n```\nls\n```\n\n## Notes\n\n- a note\n',
  )
})
