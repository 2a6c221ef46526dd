import { expect, test } from 'vitest'
import { day_ms } from '../../../src/base/time/time.ts'
import type { RunWork } from '../../../src/ledger/prompt-work.ts'
import { composeCoverage } from '../../../src/prompts/plan/coverage.ts'
import { emptyWhy } from '../../../src/prompts/plan/empty-run.ts'
import type { PromptSettings } from '../../../src/prompts/prompt-settings.ts'
import { type HeadRun, headOf } from '../../../src/prompts/report/head.ts'
import { composeReport } from '../../../src/prompts/report/report.ts'
import { noteIn, wordsIn } from '../../../src/prompts/words.ts'
import {
  asRunAsset,
  assetOf,
  changeOf,
  due_ms,
  runOf,
  settingsOf,
  tallyOf,
  turnOf,
  unreadyOf,
} from '../settings.ts'
import { officeRun, page_url } from './office-run.ts'

const office = officeRun()

interface Case {
  run?: Partial<RunWork> & Pick<HeadRun, 'empty'>
  settings?: Partial<PromptSettings>
  coverage?: Partial<Parameters<typeof composeCoverage>[0]>
}

const folder = {
  name: 'finance',
  online: true,
  offline_reason: undefined,
  scan_began_ms: due_ms,
  scan_ended_ms: due_ms,
}

function headIn({ run, settings, coverage }: Case) {
  const fresh = (run?.assets ?? []).map(({ content, name }) => assetOf(content, name))
  const whole = {
    fresh,
    taken: fresh,
    unready: tallyOf([]),
    folders: [folder],
    due_ms,
    ...coverage,
  }
  return headOf({ ...runOf(run), ...run }, settingsOf(settings), composeCoverage(whole))
}

const a = asRunAsset(assetOf(1, 'finance/a.pdf'))
const b = asRunAsset(assetOf(2, 'finance/b.pdf'))
const answered = (answer: string, sources?: RunWork['turns'][number]['sources']) => ({
  turns: [{ ...turnOf('{"prompt":"What is new?"}', answer), ...(sources && { sources }) }],
})

test.each<[string, Case, object]>([
  [
    'nothing',
    {},
    {
      counts: 'nothing new',
      subject: 'weekly-digest 2026-11-23: nothing new',
      lines: [],
      remarks: [],
      more: [],
    },
  ],
  [
    'zero counts are left out',
    { coverage: { changes: [changeOf('gone', 'finance/x.pdf')] } },
    { counts: '1 gone', lines: [{ kind: 'gone', name: 'finance/x.pdf', text: 'gone' }] },
  ],
  [
    'what changed is not new',
    {
      run: { assets: [a, b], ...answered('a.pdf') },
      coverage: { changes: [changeOf('changed', 'finance/b.pdf', b.content)] },
    },
    {
      counts: '1 new · 1 changed',
      lines: [{ kind: 'new' }, { kind: 'changed', name: 'finance/b.pdf' }],
      remarks: [],
    },
  ],
  [
    'an answer without names',
    { run: { assets: [a, b], ...answered('All is well.') } },
    { coverage: expect.stringMatching(/; names none of its 2 files$/) },
  ],
  [
    'an empty run',
    { run: { assets: [a, b], empty: 'only blanks' } },
    {
      remarks: ['This run is empty: only blanks'],
      subject: 'weekly-digest 2026-11-23: no answer, 2 new',
    },
  ],
  [
    'what was not read comes first, then what was read in part',
    {
      run: {
        assets: [a, b, asRunAsset(assetOf(3, 'finance/c.pdf'))],
        ...answered('a.pdf', [
          { asset_id: a.asset_id, read: 'whole' },
          { asset_id: b.asset_id, read: 'part', places: ['page 1', 'page 2'], why: 'too long' },
        ]),
      },
    },
    {
      lines: [
        { name: 'finance/c.pdf', read: 'not', text: 'new, 23 Nov 2026, 07:59, 4 B, not read' },
        {
          name: 'finance/b.pdf',
          read: 'part',
          text: 'new, 23 Nov 2026, 07:59, 3 B, read in part (page 1, page 2; too long)',
        },
        { name: 'finance/a.pdf', read: 'whole', text: 'new, 23 Nov 2026, 07:59, 2 B, read whole' },
      ],
    },
  ],
  [
    'what the service could not take in is read in part',
    {
      run: { assets: [a], ...answered('a.pdf', [{ asset_id: a.asset_id, read: 'whole' }]) },
      coverage: {
        taken: [{ ...assetOf(1, 'finance/a.pdf'), reading: { of: 10, seen: 1, unit: 'page' } }],
      },
    },
    {
      lines: [
        { read: 'part', text: 'new, 23 Nov 2026, 07:59, 2 B, read in part (1 of 10 pages read)' },
      ],
    },
  ],
  [
    'places are bounded',
    {
      run: {
        assets: [a],
        ...answered('a.pdf', [
          { asset_id: a.asset_id, read: 'part', places: ['1', '2', '3', '4', '5', '6'] },
        ]),
      },
    },
    { lines: [{ text: 'new, 23 Nov 2026, 07:59, 2 B, read in part (1, 2, 3, 4, 5, …)' }] },
  ],
  [
    'copies',
    { run: { assets: [a] }, coverage: { taken: [assetOf(1, 'finance/a.pdf', 3)] } },
    { counts: '3 new', more: ['… 2 more files have the same bytes as one of these'] },
  ],
  [
    'files that are asked about again, and one that is as it was before',
    {
      run: { assets: [{ ...a, times_unread: 1 }] },
      coverage: {
        taken: [{ ...assetOf(1, 'finance/a.pdf'), times_unread: 1 }],
        changes: [{ ...changeOf('changed', 'finance/b.pdf', 9), is_known: true }],
      },
    },
    {
      counts: '1 changed · 1 asked about again',
      lines: [
        { kind: 'again', text: 'asked about again, 23 Nov 2026, 07:59, 2 B' },
        { kind: 'changed_to_known', text: 'changed; what it now holds was there before' },
      ],
    },
  ],
  [
    'refusals',
    {
      coverage: {
        unready: tallyOf([
          unreadyOf('r.pdf', { stage: 'refused', content: 1, md5: 'f' }),
          unreadyOf('s.pdf', {
            stage: 'refused',
            content: 2,
            md5: 'e',
            covered: true,
            why: 'no text',
          }),
        ]),
      },
    },
    {
      counts: '1 refused · 1 still refused',
      lines: [
        { kind: 'refused', text: 'refused: refused by the service' },
        { kind: 'still_refused', text: 'still refused: no text' },
      ],
    },
  ],
  [
    'from the last report',
    { run: { last_written_due_ms: due_ms - day_ms } },
    { period: '22 Nov 2026, 08:00 to 23 Nov 2026, 08:00 (Europe/Berlin)' },
  ],
  [
    'from the setup of the prompt',
    {},
    { period: '16 Nov 2026, 08:00 to 23 Nov 2026, 08:00 (Europe/Berlin)' },
  ],
  [
    'from the beginning',
    { settings: { first_run: 'all' } },
    { period: 'since the beginning, to 23 Nov 2026, 08:00 (Europe/Berlin)' },
  ],
  [
    'an age',
    { settings: { scope: { ...settingsOf().scope, fresh: { within_ms: 2 * day_ms } } } },
    { period: '21 Nov 2026, 08:00 to 23 Nov 2026, 08:00 (Europe/Berlin)' },
  ],
  [
    'a long question',
    { run: { turns: [turnOf(JSON.stringify({ prompt: 'why '.repeat(999) }), '')] } },
    { question: expect.stringMatching(/^.{399}…$/) },
  ],
])('the head of a run: %s', (_what, given, expected) => {
  expect(headIn(given)).toMatchObject(expected)
})

test('a head in German has words, dates and numbers of the language', () => {
  const settings = settingsOf({ language: 'de' })
  const head = headOf(office, settings, JSON.parse(office.coverage), page_url)
  expect(head).toMatchObject({
    title: 'weekly-digest, 23. November 2026',
    period: '16.11.2026, 08:00 bis 23.11.2026, 08:00 (Europe/Berlin)',
    counts:
      '2 neu · 1 geändert · 1 nicht mehr da · 1 verschoben · 1 abgelehnt · 1 weiterhin abgelehnt',
    labels: { question: 'Frage' },
    coverage: expect.stringMatching(
      /^nach 3 Dateien gefragt: .*nicht gelesen \(office\/prices\.xlsx; /,
    ),
  })
  expect(head.lines[0]).toEqual({
    kind: 'changed',
    name: 'office/prices.xlsx',
    text: 'geändert, 21.11.2026, 06:30, 9,9 kB, nicht gelesen',
    url: 'https://sluice.example.org/file?folder=office&path=prices.xlsx',
    read: 'not',
  })
})

test('programs read English fields of a German report', () => {
  const run = { ...office, assets: office.assets.map((file) => ({ ...file, times_unread: 2 })) }
  const settings = settingsOf({ language: 'de' })
  const now_ms = due_ms
  const { markdown, manifest } = composeReport(run, settings, JSON.parse(office.coverage), {
    now_ms,
  })
  expect(markdown).toMatch(/\ncoverage: "asked about 3 files: .*\n\n.*nach 3 Dateien gefragt: /s)
  expect(markdown).toMatch(/## Hinweise\n\n- 1 nach drei Fragen nicht gelesen /)
  expect(manifest.coverage_line).toMatch(/^asked about 3 files: /)
  expect(manifest.notes).toEqual([expect.stringMatching(/^1 asked three times, not read /)])
})

test('an empty run says why in German', () => {
  const run = { empty: emptyWhy([], [{ answer: ' ', body: '{}' }], undefined) }
  expect(headIn({ run, settings: { language: 'de' } }).remarks).toEqual([
    'Dieser Lauf ist leer: Der Dienst hat keine Antwort gegeben',
  ])
})

test('known notes are in the language of the report, others stay', () => {
  const { chat_gone } = wordsIn('en').known_notes
  expect(noteIn('en', chat_gone)).toBe(chat_gone)
  expect(noteIn('de', chat_gone)).toBe(wordsIn('de').known_notes.chat_gone)
  expect(noteIn('de', 'the label "x" is left out')).toBe('the label "x" is left out')
})
