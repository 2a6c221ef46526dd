import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { UnreadyFile } from '../../../src/ledger/prompt-work.ts'
import { composeManifest } from '../../../src/prompts/manifest.ts'
import {
  type AskedFile,
  composeCoverage,
  coverageLine,
  expectedFiles,
  type FolderScan,
  givenUpNotes,
  nothingNewText,
} from '../../../src/prompts/plan/coverage.ts'
import type { FreshAsset } from '../../../src/prompts/plan/fresh.ts'
import { composeTurns, requestBody } from '../../../src/prompts/plan/question.ts'
import { noUnready } from '../../../src/prompts/plan/unready.ts'
import { checkCoverage } from '../check-coverage.ts'
import {
  assetOf,
  due_ms,
  runOf,
  settingsOf,
  tallyOf,
  turnOf,
  unreadyOf,
  zone,
} from '../settings.ts'

const assets = (count: number) => Array.from({ length: count }, (_, index) => assetOf(index))
const in_time: FolderScan = {
  name: 'finance',
  online: true,
  offline_reason: undefined,
  scan_began_ms: due_ms,
  scan_ended_ms: due_ms + 1,
}
const refused = (content: number, path: string, covered = false) =>
  unreadyOf(path, {
    stage: 'refused',
    content,
    md5: content.toString(16).padStart(32, '0'),
    why: 'too odd',
    covered,
  })

function lineOf(run: {
  ready?: number
  taken?: number
  unready?: UnreadyFile[]
  folders?: FolderScan[]
}): string {
  const { ready = 0, taken = ready, unready = [], folders = [in_time] } = run
  return coverageLine(
    composeCoverage({
      fresh: assets(ready),
      taken: assets(taken),
      unready: tallyOf(unready),
      folders,
      due_ms,
    }),
    zone,
  )
}

test('the line of an ordinary run', () => {
  const unready = [refused(1, 'a.pdf'), refused(2, 'b.pdf'), unreadyOf('c.docx')]
  const offline = {
    ...in_time,
    name: 'Legal',
    online: false,
    offline_reason: 'not mounted',
    scan_ended_ms: due_ms - 6_480_000,
  }
  expect(lineOf({ ready: 41, unready, folders: [in_time, offline] })).toBe(
    '41 of 44 files ready; 2 refused (finance/a.pdf, finance/b.pdf); 1 still on the way (finance/c.docx); ' +
      'Legal: last complete scan 06:12 Europe/Berlin (offline)',
  )
})

test('too many files, no files, and no folders', () => {
  expect(lineOf({ ready: 312, taken: 200 })).toBe('this report: 200 of 312; 112 next time')
  expect(lineOf({ ready: 312, taken: 200, unready: [unreadyOf('a')] })).toBe(
    '312 of 313 files ready; this report: 200 of 312; 112 next time; 1 still on the way (finance/a)',
  )
  expect(lineOf({ ready: 1 })).toBe('1 of 1 file ready')
  expect(lineOf({})).toBe('nothing new')
  expect(lineOf({ folders: [] })).toBe('no folders in scope')
})

test('copies count as files, as in the status, and the line says how many there are', () => {
  const of = (...files: number[]) => files.map((count, content) => assetOf(content, 'a', count))
  const line = (fresh: FreshAsset[], taken = fresh, unready: UnreadyFile[] = []) => {
    const run = { fresh, taken, unready: tallyOf(unready), folders: [in_time], due_ms }
    return coverageLine(composeCoverage(run), zone)
  }
  expect(line(of(1, 2))).toBe('3 of 3 files ready (1 is a copy of another)')
  const held = { stage: 'on_the_way', content: 9 } as const
  const unready = [unreadyOf('x', held), unreadyOf('copy of x', held)]
  expect(line(of(3, 2), of(3, 2), unready)).toBe(
    '5 of 7 files ready (3 are copies of others); 2 still on the way (finance/x, finance/copy of x)',
  )
  const some = of(1, 3)
  expect(
    line([...some, ...of(2)], some),
    'copies that this report leaves out are not its own',
  ).toBe('this report: 4 of 6 (2 are copies of others); 2 next time')
})

const whole = { read: 'whole', fate: 'covered', is_named: true } as const
const silent = { ...whole, read: undefined }
const left = { read: 'not', fate: 'left', is_named: false } as const
const given_up = { ...left, fate: 'given_up' } as const

test.each<[what: string, files: Omit<AskedFile, 'name'>[], line: string, german: string]>([
  [
    'all read',
    [whole, whole],
    'asked about 2 files: 2 read whole; 2 named',
    'nach 2 Dateien gefragt: 2 ganz gelesen; 2 genannt',
  ],
  [
    'all amounts',
    [whole, { ...whole, read: 'part' }, left, { ...left }, given_up],
    'asked about 5 files: 1 read whole, 1 in part (b; not asked about again), 2 not read (c, d; asked about again next time), ' +
      '1 not read (e; asked three times); 2 named',
    'nach 5 Dateien gefragt: 1 ganz gelesen, 1 zum Teil (b; danach wird nicht mehr gefragt), 2 nicht gelesen (c, d; beim nächsten Mal wieder), ' +
      '1 nicht gelesen (e; dreimal gefragt); 2 genannt',
  ],
  [
    'none whole, and none named',
    [{ ...whole, read: 'part', is_named: false }, left],
    'asked about 2 files: 1 read in part (a; not asked about again), 1 not read (b; asked about again next time); names none of its 2 files',
    'nach 2 Dateien gefragt: 1 zum Teil gelesen (a; danach wird nicht mehr gefragt), 1 nicht gelesen (b; beim nächsten Mal wieder); ' +
      'die Antwort nennt keine der 2 Dateien',
  ],
  [
    'one file, and not named',
    [{ ...whole, is_named: false }],
    'asked about 1 file: 1 read whole; names none of its 1 file',
    'nach 1 Datei gefragt: 1 ganz gelesen; die Antwort nennt die Datei nicht',
  ],
  [
    'a silent service',
    [silent, { ...silent, is_named: false }],
    'asked about 2 files; the service does not say which it read; 1 named',
    'nach 2 Dateien gefragt; der Dienst sagt nicht, welche er gelesen hat; 1 genannt',
  ],
  [
    'a service that is silent about one turn',
    [whole, silent],
    'asked about 2 files: 1 read whole, 1 of which it does not say it; 2 named',
    'nach 2 Dateien gefragt: 1 ganz gelesen, 1 ohne Angabe des Dienstes; 2 genannt',
  ],
  [
    'an empty run',
    [{ ...silent, fate: 'left' }, given_up],
    'asked about 2 files, without an answer about them; 1 asked about again next time (a); 1 asked three times, no answer (b)',
    'nach 2 Dateien gefragt, ohne Antwort darauf; 1 beim nächsten Mal wieder (a); 1 nach drei Fragen ohne Antwort (b)',
  ],
])('the line once the answers are there, in both languages: %s', (_, files, line, german) => {
  const named = files.map((file, index) => ({ ...file, name: 'abcde'[index]! }))
  const fresh = assets(files.length)
  const run = { fresh, taken: fresh, unready: noUnready(), folders: [in_time], due_ms }
  const coverage = composeCoverage(run)
  expect(coverageLine(coverage, zone, named)).toBe(line)
  expect(coverageLine(coverage, zone, named, 'de')).toBe(german)
})

test.each<[what: string, run: Partial<Parameters<typeof composeCoverage>[0]>, line: string]>([
  [
    'each stage',
    {
      unready: tallyOf([
        refused(1, 'a.pdf'),
        ...(['moving', 'on_the_way', 'blocked', 'removed'] as const).map((stage) =>
          unreadyOf(stage, { stage }),
        ),
      ]),
    },
    '0 von 4 Dateien bereit; 1 abgelehnt (finance/a.pdf); 1 noch in Änderung (finance/moving); ' +
      '1 noch unterwegs (finance/on_the_way); 1 blockiert (finance/blocked); 1 beim Dienst entfernt (finance/removed)',
  ],
  [
    'many refusals',
    { unready: tallyOf(Array.from({ length: 1_200 }, (_, at) => refused(at, 'x'))) },
    '0 von 1.200 Dateien bereit; 1.200 abgelehnt ' +
      '(finance/x, finance/x, finance/x, finance/x, finance/x und 1.195 weitere)',
  ],
  [
    'the rest and copies',
    { fresh: [assetOf(1, 'a', 3), assetOf(2)], taken: [assetOf(1, 'a', 3)] },
    'dieser Bericht: 3 von 4 (2 sind Kopien von anderen); 1 beim nächsten Mal',
  ],
  [
    'the rest left out',
    { fresh: assets(2), taken: assets(1), left_are: 'left out' },
    'dieser Bericht: 1 von 2; 1 ausgelassen',
  ],
  [
    'one copy',
    { fresh: [assetOf(1, 'a', 2)], taken: [assetOf(1, 'a', 2)] },
    '2 von 2 Dateien bereit (1 ist die Kopie einer anderen)',
  ],
  ['no folder', { folders: [] }, 'keine Ordner ausgewählt'],
  [
    'a folder that is offline, a late one, and one that was never scanned',
    {
      folders: [
        { ...in_time, online: false },
        { ...in_time, name: 'late', scan_began_ms: due_ms - 1 },
        { ...in_time, name: 'new', scan_began_ms: undefined, scan_ended_ms: undefined },
      ],
    },
    'nichts Neues; finance: letzter vollständiger Scan 08:00 Europe/Berlin (offline); ' +
      'late: letzter vollständiger Scan 08:00 Europe/Berlin (der nächste endete nicht rechtzeitig); ' +
      'new: noch kein vollständiger Scan (der nächste endete nicht rechtzeitig)',
  ],
])('the line in German, before the answers are there: %s', (_, changes, line) => {
  const run = { fresh: [], taken: [], unready: noUnready(), folders: [in_time], due_ms, ...changes }
  expect(coverageLine(composeCoverage(run), zone, [], 'de')).toBe(line)
})

test.each([
  [undefined, 'en', '1 asked three times, not read (a; not asked about again)'] as const,
  [
    undefined,
    'de',
    '1 nach drei Fragen nicht gelesen (a; danach wird nicht mehr gefragt)',
  ] as const,
  ['blank', 'de', '1 nach drei Fragen ohne Antwort (a; danach wird nicht mehr gefragt)'] as const,
])('the note about files that are given up: empty %s, %s', (empty, language, note) => {
  const files = [
    { ...given_up, name: 'a' },
    { ...whole, name: 'b' },
  ]
  expect(givenUpNotes({ left_are: 'next time' }, files, empty, language)).toEqual([note])
  // A time span may ask about any of them again.
  const of_span = givenUpNotes({ left_are: 'left out' }, files, empty, language)
  expect(of_span).toEqual([note.replace(/; [^)]*/, '')])
})

test('the line once the answers are there: copies, the rest, and what can be read in part', () => {
  const reading = { of: 10, seen: 1, unit: 'page' } as const
  const taken = [assetOf(1, 'a', 3), { ...assetOf(2, 'b'), reading }]
  const run = { taken, unready: tallyOf([refused(1, 'r.pdf')]), folders: [in_time], due_ms }
  const coverage = composeCoverage({ ...run, fresh: [...taken, assetOf(3)] })
  const lineWith = (file: Omit<AskedFile, 'name'>) =>
    coverageLine(
      coverage,
      zone,
      ['a', 'b'].map((name) => ({ ...file, name })),
    )
  expect(lineWith(whole)).toBe(
    'asked about 4 of 5 files (2 are copies of others): 1 read whole, 1 in part (b; not asked about again); 2 named; 1 next time; 1 refused (finance/r.pdf)',
  )
  expect(lineWith(silent)).toBe(
    'asked about 4 of 5 files (2 are copies of others); the service does not say which it read; 2 named; 1 next time; ' +
      '1 readable only in part (b); 1 refused (finance/r.pdf)',
  )
  const silent_files = ['a', 'b'].map((name) => ({ ...silent, name }))
  expect(coverageLine(coverage, zone, silent_files, 'de')).toBe(
    'nach 4 von 5 Dateien gefragt (2 sind Kopien von anderen); der Dienst sagt nicht, welche er gelesen hat; 2 genannt; ' +
      '1 beim nächsten Mal; 1 nur zum Teil lesbar (b); 1 abgelehnt (finance/r.pdf)',
  )
})

test('a run without news says since when, and apart from that what is not ready', () => {
  const textOf = (unready: UnreadyFile[], since_ms: number | undefined, folder = in_time) => {
    const run = { fresh: [], taken: [], unready: tallyOf(unready), folders: [folder], due_ms }
    return nothingNewText(composeCoverage(run), zone, since_ms)
  }
  const since_ms = due_ms - 604_800_000
  expect(textOf([], since_ms)).toBe('nothing new since 2026-11-16 08:00 Europe/Berlin')
  expect(textOf([], undefined)).toBe('nothing new')
  const blocked = unreadyOf('a.bin', { stage: 'blocked' })
  expect(textOf([blocked, refused(1, 'b.pdf')], since_ms)).toBe(
    'nothing new since 2026-11-16 08:00 Europe/Berlin; not ready: 1 refused (finance/b.pdf), 1 blocked (finance/a.bin)',
  )
  expect(textOf([], since_ms, { ...in_time, online: false })).toBe(
    'nothing new since 2026-11-16 08:00 Europe/Berlin; finance: last complete scan 08:00 Europe/Berlin (offline)',
  )
})

test('changed files count if the run takes their new version; totals are exact', () => {
  const fresh = assets(2)
  const { changed, gone, moved } = composeCoverage({
    fresh,
    taken: fresh.slice(0, 1),
    unready: noUnready(),
    folders: [in_time],
    due_ms,
    changes: [
      { kind: 'changed', folder: 'f', path: 'a', name: 'f/a', was: 8, content: 0 },
      { kind: 'changed', folder: 'f', path: 'b', name: 'f/b', was: 9, content: 1 },
      { kind: 'changed', folder: 'f', path: 'c', name: 'f/c', was: 9, content: 1, from: 'f/d' },
      ...Array.from({ length: 1_001 }, (_, index) => {
        return { kind: 'gone', folder: 'f', path: 'x', name: `f/${index}` } as const
      }),
    ],
  })
  expect([changed, moved]).toEqual([
    { total: 1, files: [{ name: 'f/a' }] },
    { total: 1, files: [{ name: 'f/c', why: 'f/d' }] },
  ])
  expect([gone.total, gone.files.length]).toEqual([1_001, 1_000])
})

const change_to = { kind: 'changed', folder: 'f' } as const
test.each([
  [
    'what no question is about any more',
    { ...change_to, is_known: true, path: 'a', name: 'f/a', content: 9 },
    'f/a',
  ],
  ['a copy of a file that is asked about again', { ...change_to, path: 'b', name: 'f/b' }, 'f/b'],
  ['what is still to come', { ...change_to, path: 'c', name: 'f/c', content: 9 }, undefined],
])('a change to %s', (_what, change, expected) => {
  const [first] = assets(1)
  const taken = [{ ...first!, name: 'finance/0', times_unread: 1 }]
  const { again, changed, changed_to_known } = composeCoverage({
    fresh: taken,
    taken,
    unready: noUnready(),
    folders: [in_time],
    due_ms,
    changes: [{ content: first!.content, ...change }],
  })
  expect({ again, changed: changed.total }).toEqual({ again: 1, changed: 0 })
  expect(changed_to_known.files.map(({ name }) => name)).toEqual(expected ? [expected] : [])
})

test('scans that did not end in time, on another day, or never', () => {
  const late = { ...in_time, scan_began_ms: due_ms - 1 }
  expect(lineOf({ folders: [late] })).toBe(
    'nothing new; finance: last complete scan 08:00 Europe/Berlin (the next did not end in time)',
  )
  const old = { ...late, online: false, scan_ended_ms: due_ms - 86_400_000 }
  expect(lineOf({ folders: [old] })).toBe(
    'nothing new; finance: last complete scan 2026-11-22 08:00 Europe/Berlin (offline)',
  )
  const never = { ...in_time, scan_began_ms: undefined, scan_ended_ms: undefined }
  expect(lineOf({ folders: [never] })).toBe(
    'nothing new; finance: no complete scan (the next did not end in time)',
  )
})

test('a refusal that the prompt has reported before is left out, and equal bytes are refused once', () => {
  const unready = [refused(1, 'a.pdf', true), refused(2, 'b.pdf'), refused(2, 'copy of b.pdf')]
  expect(lineOf({ unready })).toBe(
    '0 of 2 files ready; 2 refused (finance/b.pdf, finance/copy of b.pdf)',
  )
  expect(tallyOf(unready).refusals.map(({ content, why }) => [content, why])).toEqual([
    [2, 'too odd'],
  ])
})

test('files outside the time span are not promised for the next run', () => {
  const run = {
    fresh: assets(312),
    taken: assets(200),
    unready: noUnready(),
    folders: [in_time],
    due_ms,
  }
  expect(coverageLine(composeCoverage({ ...run, left_are: 'left out' }), zone)).toBe(
    'this report: 200 of 312; 112 left out',
  )
})

test('with very many refusals it names and covers a thousand, and counts all', () => {
  const unready = tallyOf(
    Array.from({ length: 1_200 }, (_, index) => refused(index, `${index}.pdf`)),
  )
  const coverage = composeCoverage({ fresh: [], taken: [], unready, folders: [in_time], due_ms })
  expect([coverage.refused.total, coverage.refused.files.length, unready.refusals.length]).toEqual([
    1_200, 1_000, 1_000,
  ])
  expect(coverageLine(coverage, zone)).toMatch(
    /^0 of 1,200 files ready; 1,200 refused \(.*4\.pdf and 1,195 more\)$/,
  )
})

test('a hostile name stays within its line', () => {
  expect(lineOf({ unready: [unreadyOf('a\nb\u2028c\u001b[2J')] })).toMatch(/^[ -~]*$/)
})

const unready_files = fc.array(
  fc.record({
    content: fc.option(fc.nat(6), { nil: undefined }),
    stage: fc.constantFrom<UnreadyFile['stage'][]>(
      'moving',
      'on_the_way',
      'blocked',
      'refused',
      'removed',
    ),
    covered: fc.boolean(),
    path: fc.string(),
  }),
  { maxLength: 12 },
)

test('property: the numbers add up, and the manifest proves them', () => {
  const counts = {
    ready: fc.nat(12),
    max_assets: fc.integer({ min: 1, max: 5 }),
    more: fc.boolean(),
  }
  fc.assert(
    fc.property(fc.record(counts), unready_files, ({ ready, max_assets, more }, files) => {
      fc.pre(ready > 0)
      const unready = tallyOf(
        files.map(({ content, stage, covered, path }) =>
          // A refusal always has a content.
          unreadyOf(
            path,
            stage === 'refused'
              ? refused(content ?? 7, path, covered)
              : { stage, content, covered },
          ),
        ),
      )
      const settings = settingsOf({ max_assets, when_too_many: more ? 'more_turns' : 'next_run' })
      const turns = composeTurns({
        settings,
        run: { due_ms },
        assets: assets(ready),
        ids: {},
        since_ms: undefined,
      })
      const coverage = composeCoverage({
        fresh: assets(ready),
        taken: assets(turns.assets.length),
        unready,
        folders: [in_time],
        due_ms,
      })
      const run = runOf({
        assets: turns.assets,
        refusals: unready.refusals,
        turns: turns.bodies.map((body) => turnOf(requestBody(body), 'x')),
      })
      const manifest = composeManifest(run, coverage, zone, due_ms)
      expect(checkCoverage(manifest)).toEqual([])
      const { refused: covered, moving, on_the_way, blocked } = coverage
      expect(expectedFiles(coverage)).toBe(
        ready + covered.total + moving.total + on_the_way.total + blocked.total,
      )
      // The recount must be able to fail.
      expect(checkCoverage({ ...manifest, assets: manifest.assets.slice(1) })).not.toEqual([])
    }),
    { numRuns: 100 },
  )
})
