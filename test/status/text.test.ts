import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shellWord, textWidth } from '../../src/base/text/format.ts'
import { pathMatcher } from '../../src/base/text/ignore-patterns.ts'
import { nothing_goes, typeTrial } from '../../src/domain/file-type.ts'
import { stages } from '../../src/ledger/views/view-files.ts'
import { no_removals } from '../../src/ledger/views/view-removal-cases.ts'
import { removalStatus } from '../../src/status/assets.ts'
import type { FolderStatus } from '../../src/status/folders.ts'
import { LineWriter } from '../../src/status/text/lines.ts'
import { excludeSetting, otherTroubles, statusLines } from '../../src/status/text/text.ts'
import type { StatusView } from '../../src/status/view.ts'

const none = Object.fromEntries(
  stages.map((stage) => [stage, { files: 0, bytes: 0 }]),
) as FolderStatus['stages']
const folder: FolderStatus = {
  name: 'notes',
  path: '/srv/my notes',
  project_id: 'project_0123456789abcdefghij',
  state: 'online',
  since: '2026-01-01T00:00:00.000Z',
  reason: null,
  watching: null,
  watcher_changes: null,
  last_scan: null,
  stages: none,
  ready_in_part: 0,
}
const quiet: StatusView = {
  version: 1,
  at: '2026-01-02T00:00:00.000Z',
  state_dir: '/var/lib/sluice',
  verdict: 'all_ready',
  stale_since: null,
  health: undefined,
  rebuild: null,
  prompts: [],
  daemon: { state: 'running', pid: 77, mode: 'run', version: '0.1.0' },
  pause: null,
  troubles: [],
  folders: [folder],
  problems: [],
  retrying: [],
  slow: 0,
  removals: removalStatus(no_removals),
  over_limit: { files: 0, bytes: 0, places: [] },
  upload_limit: null,
  daily_limit: null,
  bandwidth: null,
  rename_refusals: [],
  audits: [],
}
const busy: StatusView = {
  ...quiet,
  verdict: 'refused',
  daemon: { state: 'stopped' },
  troubles: [
    {
      about: 'account',
      code: 'publicapi.auth.invalid',
      message: 'the service refuses the token',
      hint: 'put a new token into /etc/sluice/token: it is read again by itself',
      since: '2026-01-01T21:00:00.000Z',
      last: '2026-01-01T23:59:00.000Z',
    },
  ],
  folders: [
    {
      ...folder,
      stages: {
        ...none,
        ready: { files: 1_234, bytes: 5_600_000 },
        waiting: { files: 12, bytes: 1_000 },
        ingesting: { files: 3, bytes: 10 },
        refused: { files: 5, bytes: 10 },
        skipped: { files: 1, bytes: 0 },
      },
      last_scan: {
        began: '2026-01-01T23:54:58.000Z',
        ended: '2026-01-01T23:55:00.000Z',
        files: 1_255,
        directories: 4,
        bytes: 5_700_000,
        ignored: [
          { rule: '*.tmp', source: '/srv/my notes/.sluiceignore:3', reason: 'excluded', count: 2 },
          { rule: '~$*', source: 'default', reason: 'lock', count: 7 },
        ],
        odd_names: ['x\\xff'],
        odd_names_total: 1,
        special: [{ kind: 'fifo', count: 1 }],
        unreadable: [{ path: 'private', code: 'EACCES' }],
        unreadable_total: 9,
        other_mounts: ['usb'],
        narrower: [],
        narrower_total: 0,
        missed: null,
      },
    },
    {
      ...folder,
      name: 'share',
      path: '/mnt/share',
      state: 'offline',
      reason: '/mnt/share does not exist (not mounted?)',
      since: '2026-01-01T21:00:00.000Z',
    },
    { ...folder, name: 'later', path: '/srv/later', state: 'new', since: null },
  ],
  problems: [
    {
      stage: 'refused',
      code: 'asset.create.type',
      message: 'files of this type are not read',
      reasons: 1,
      unread_types: [],
      files: 5,
      bytes: 10,
      examples: [
        { folder: 'notes', path: 'a\u001b[2J.bin', message: 'm' },
        { folder: 'notes', path: 'b.bin', message: 'm' },
      ],
    },
    {
      stage: 'blocked',
      code: 'unreadable',
      message: 'it cannot be read (EBUSY)',
      reasons: 1,
      unread_types: [],
      files: 1,
      bytes: 5,
      examples: [{ folder: 'notes', path: 'locked.docx', message: 'it cannot be read (EBUSY)' }],
    },
  ],
  retrying: [
    {
      code: 'network.reset',
      message: 'the connection was cut',
      contents: 2,
      next_try: '2026-01-02T00:00:30.000Z',
      examples: [{ folder: 'notes', path: 'big.iso', message: 'm' }],
    },
  ],
  slow: 2,
  over_limit: {
    files: 900,
    bytes: 9e9,
    places: [
      {
        folder: 'notes',
        root: '/srv/my notes',
        directory: "Anna's disk",
        files: 890,
        bytes: 8.9e9,
      },
    ],
  },
  upload_limit: { files: 100_000, bytes: 1e11, per_hours: 24, used_files: 100_000, used_bytes: 5 },
  daily_limit: { max_bytes: 5e9, used_bytes: 5e9 },
  bandwidth: { bytes_per_s: 2e6, until: '2026-01-02T03:00:00.000Z' },
}

const text = (status: StatusView, width: number) =>
  statusLines(status, width).map((line) => line.text)

test('a day without work is short', () => {
  expect(text(quiet, 80)).toMatchInlineSnapshot(`
    [
      "all ready: 0 files (0 B)",
      "daemon running, pid 77, version 0.1.0",
      "",
      "notes  /srv/my notes",
      "  0 ready (0 B)",
      "  its first scan has not ended yet",
    ]
  `)
})

test.each([
  [{ bytes_per_s: 2e6, until: null }, 'bandwidth: 2.0 MB a second for uploads'],
  [
    { bytes_per_s: null, until: '2026-01-02T08:00:00.000Z' },
    'bandwidth: no limit for uploads now, for another 8 h',
  ],
])('shows a bandwidth limit: %j', (bandwidth, line) => {
  expect(text({ ...quiet, bandwidth }, 80).at(-1)).toBe(line)
})

describe('the line about the health, with what the lines below say', () => {
  const fine: StatusView = {
    ...quiet,
    health: { state: 'healthy', paused: null, problems: [] },
    folders: busy.folders.slice(0, 1).map((each) => ({ ...each, last_scan: null })),
  }
  const trouble = (about: string) => ({
    troubles: busy.troubles.map((each) => ({ ...each, about })),
  })
  const run = {
    run: 3,
    due: quiet.at,
    state: 'failed',
    why: 'no answer',
    files: 0,
    report: null,
  } as const
  const prompt = {
    name: 'news',
    configured: true,
    timezone: 'UTC',
    next: null,
    last_run: null,
    undelivered: [],
  }
  const delivery = {
    run: 3,
    target: 'mail',
    state: 'wanted',
    attempts: 2,
    since: quiet.at,
    next_try: null,
    error: null,
  } as const
  test.each<[name: string, change: Partial<StatusView>, text: string]>([
    ['nothing is wrong', {}, 'Sluice works without faults'],
    ...[
      ['the token', trouble('account')],
      ['the service', trouble('api')],
      ['the blob store', trouble('blob')],
      ['uploads', trouble('uploads')],
      ['a project', trouble('project:x')],
      ['labels of a project', trouble('labels:x')],
      ['questions of a project', trouble('questions:x')],
      ['the page', trouble('page')],
      ['a refused fact', trouble('record:notes/a.txt')],
      ['an offline folder', { folders: busy.folders.slice(1, 2) }],
      ['a folder that was not scanned', { folders: busy.folders.slice(2, 3) }],
      ['places that cannot be read', { folders: busy.folders.slice(0, 1) }],
      ['refused files', { problems: busy.problems }],
      ['failed tries', { retrying: busy.retrying }],
      ['slow reading', { slow: 2 }],
      ['the upload limit', { over_limit: busy.over_limit }],
      ['names', { rename_refusals: [{ project_id: 'p', message: 'no' }] }],
      [
        'removals',
        { removals: { ...quiet.removals, refusals: [{ project_id: 'p', message: 'no' }] } },
      ],
      ['a failed run', { prompts: [{ ...prompt, last_run: run }] }],
      ['a delivery', { prompts: [{ ...prompt, undelivered: [delivery] }] }],
    ].map(
      ([name, change]) =>
        [name, change, 'Sluice works; see below what needs attention'] as [
          string,
          Partial<StatusView>,
          string,
        ],
    ),
  ])('%s', (_name, change, text) => {
    const lines = statusLines({ ...fine, ...change }, Number.POSITIVE_INFINITY)
    const said = lines.filter((line) => line.text.startsWith('Sluice works'))
    expect(said.map((line) => line.text)).toEqual([text])
    // It stands above the lines that it is about.
    const at = lines.indexOf(said[0]!)
    expect(lines.slice(at + 1).some(({ tone }) => tone === 'bad' || tone === 'warn')).toBe(
      text.includes('below'),
    )
  })
})

test('shows a folder before the first pass', () => {
  const status: StatusView = {
    ...quiet,
    verdict: 'incomplete',
    folders: [{ ...folder, state: 'new' }],
  }
  expect(text(status, 80)[0]).toBe('no folder was scanned yet')
})

test('an incomplete folder names every cause', () => {
  const [much, offline, later] = busy.folders
  const first = { ...folder, name: 'first' }
  const folders = [
    { ...much!, stages: { ...none, blocked: { files: 1, bytes: 2 } } },
    offline!,
    later!,
    first,
  ]
  expect(text({ ...busy, verdict: 'incomplete', folders }, Number.POSITIVE_INFINITY)[0]).toBe(
    '0 files ready; 11 need attention: 1 blocked, 9 in notes cannot be read, 1 in notes with a name that is not UTF-8; ' +
      'share is offline; later was not scanned yet; the first scan of first has not ended',
  )
})

test('a file that the service cannot read has the line that excludes it', () => {
  const [problem] = busy.problems
  const examples = [{ folder: 'notes', path: 'scans/map [1].png', message: '' }]
  const problems = [{ ...problem!, code: 'ingest_failed', files: 1, examples }]
  const lines = text({ ...busy, problems }, 100)
  const at = lines.indexOf(
    '  or leave them out, each by a line in the .sluiceignore of its folder:',
  )
  expect(lines[at + 1]).toBe('    /scans/map\\ \\[1\\].png')
  expect(lines[at + 2]).not.toContain('of a type')
})

test('B-43 files for which the service lacks a program have the command that tries them again', () => {
  const [problem] = busy.problems
  const message = "it needs tesseract-ocr, not installed on the service's machine"
  const paths = ['a.pdf', 'b.PNG', 'C.PDF', 'scan of May']
  const examples = paths.map((path) => ({ folder: 'notes', path, message }))
  const problems = [{ ...problem!, code: 'nothing_to_read', files: 4, message, examples }]
  const lines = text({ ...busy, problems }, 100)
  const at = lines.indexOf(
    '  once it is installed there and the service has started again, try these again:',
  )
  expect(lines[at + 1]).toBe(
    "    sluice retry '*.[pP][dD][fF]' '*.[pP][nN][gG]' 'notes/scan of May'",
  )
})

test('a type of which the service has read no file has the setting that excludes it, too; another has not', () => {
  const [problem] = busy.problems
  const examples = ['1.gz', '2.gz', '3.pdf'].map((path) => ({ folder: 'notes', path, message: '' }))
  const group = { ...problem!, code: 'ingest_failed', files: 20, examples }
  const after = (unread_types: string[]) => {
    const lines = text({ ...busy, problems: [{ ...group, unread_types }] }, 100)
    return lines.slice(lines.indexOf('    /3.pdf') + 1)
  }
  expect(after(['gz']).slice(0, 2)).toEqual([
    '  or, as the service could read none, all of a type by this setting of their folder:',
    '    exclude: ["*.[gG][zZ]"]',
  ])
  expect(after([]).join('\n')).not.toContain('exclude')
})

test('a refused type has the command that uploads its files, and the setting that leaves them out', () => {
  const examples = ['a/x.gz', 'y.GZ', 'z.gz'].map((path) => ({
    folder: 'notes',
    path,
    message: 'type refused: why',
  }))
  const group = {
    stage: 'blocked',
    files: 835,
    bytes: 5_000_000,
    message: 'type refused: why',
    reasons: 1,
    unread_types: ['gz'],
    examples,
  } satisfies Partial<StatusView['problems'][number]>
  const shown = (extension: string) =>
    text({ ...busy, problems: [{ ...group, code: `type_refused:${extension}` }] }, 120).join('\n')
  expect(shown('gz')).toContain(
    'blocked: 835 files (5.0 MB): type refused: why\n  notes/a/x.gz\n  notes/y.GZ\n',
  )
  expect(shown('gz')).toContain('and 832 more: `sluice ls --state blocked`')
  expect(shown('gz')).toContain(`to upload all, from now on:\n    sluice accept '*.gz'\n`)
  expect(shown('gz')).toContain('setting of their folder:\n    exclude: ["*.[gG][zZ]"]')
  examples.splice(0, 3, { folder: 'notes', path: 'README', message: 'type refused: why' })
  expect(shown('')).toContain(
    'in a .sluiceignore: no pattern is about files without an extension alone',
  )
})

test('a type that the service refuses: it is asked once a day, and no setting leaves the files out', () => {
  const message = 'the service refuses .gz files: the service answered 413'
  const examples = [{ folder: 'notes', path: 'a.gz', message }]
  const counts = { files: 1, bytes: 5, reasons: 1, unread_types: [] }
  const group = { stage: 'blocked' as const, ...counts, message, examples }
  const shown = text({ ...busy, problems: [{ ...group, code: 'type_rests:gz' }] }, 160).join('\n')
  expect(shown).toContain('asks for one of them a day, and uploads all once the service takes it')
  expect(shown).not.toContain('exclude')
})

test('files of an unproven type: how many wait, and for what', () => {
  const { code, message } = typeTrial('gz')
  const examples = [{ folder: 'notes', path: 'a.gz', message }]
  const group = { code, message, contents: 830, next_try: '2026-03-02T10:10:00.000Z', examples }
  const lines = text({ ...busy, at: '2026-03-02T10:01:00.000Z', retrying: [group] }, 160)
  const at = lines.findIndex((line) => line.startsWith('tried by itself'))
  expect(lines.slice(at, at + 3)).toEqual([
    'tried by itself: 830, the next once a daemon runs: it waits for the result of the first 20 .gz files: the service has not read one yet',
    '  notes/a.gz',
    '  `sluice explain PATH` says more; `sluice retry PATH` tries now',
  ])
  // No time of a next try while a trouble stops all uploads.
  const stopped = [{ ...group, message: `${nothing_goes}${message}` }]
  expect(text({ ...busy, retrying: stopped }, 200)).toContain(
    'waiting: 830: nothing is uploaded now; afterwards it waits for the result of the first 20 .gz files: the service has not read one yet',
  )
})

test('the setting that leaves out a type has all its spellings, and is absent without an extension', () => {
  expect(excludeSetting(['a/x.tar.gz', 'y.GZ', 'z.7z'])).toBe('exclude: ["*.[gG][zZ]", "*.7[zZ]"]')
  expect(excludeSetting(['x.1[2]*'])).toBe('exclude: ["*.1\\\\[2\\\\]\\\\*"]')
  expect(excludeSetting(['x."1'])).toBe('exclude: ["*.\\"1"]')
  expect(excludeSetting(['x.\u202e1'])).toBe('exclude: ["*.\\u202e1"]')
  expect(excludeSetting(['README', '.profile', 'x.'])).toBeUndefined()
})

test('the setting leaves out each spelling of the type, and no other type', () => {
  const names = fc.string({
    unit: fc.constantFrom(...'aZéÉ1*?[]^!\\-#ß '),
    minLength: 1,
    maxLength: 6,
  })
  fc.assert(
    fc.property(names, (name) => {
      const setting = excludeSetting([`x.${name}`])!
      const isLeftOut = pathMatcher(JSON.parse(setting.slice('exclude: '.length)))
      for (const other of [name, name.toLowerCase(), name.toUpperCase().replaceAll('SS', 'ß')]) {
        expect(isLeftOut(`a/b.${other}`), `${setting} ${other}`).toBe(true)
        expect(isLeftOut(`a/b.${other}x`), `${setting} ${other}x`).toBe(false)
      }
    }),
  )
})

test('with a daemon, a blocked file and a failed try are tried again by themselves', () => {
  const lines = text({ ...busy, daemon: quiet.daemon }, 100)
  expect(lines).toContain(
    '  Sluice tries again by itself; `sluice retry PATH` tries now, `sluice explain PATH` says more',
  )
  expect(lines).toContain('tried by itself: 2, the next in 30 s: the connection was cut')
})

test('a folder with many problems says first what is wrong, and what to do', () => {
  expect(text(busy, 100).join('\n')).toMatchSnapshot()
  const lines = text(busy, 100)
  const at = (words: string) => lines.findIndex((line) => line.includes(words))
  expect(at('put a new token')).toBeGreaterThan(0)
  expect(at('put a new token')).toBeLessThan(at('/srv/my notes'))
  expect(lines).toContain(`    sluice accept '/srv/my notes/Anna'\\''s disk'`)
})

test('a refused fact is said once, after its thing', () => {
  const error = { ...busy.troubles[0]!, about: 'fact:docs/a.txt', message: 'cannot record it' }
  const said = (problems: object[]) => {
    const health = { state: 'unhealthy' as const, paused: null, problems: problems as never }
    return text({ ...busy, troubles: [error], health }, 100).filter((line) =>
      line.includes('cannot record it'),
    )
  }
  expect(said([])).toEqual([expect.stringMatching(/^docs\/a.txt: cannot record it \(for /)])
  const message = 'docs/a.txt: cannot record it'
  const problem = { kind: 'record', about: 'docs/a.txt', message, hint: '', since: error.since }
  expect(said([problem])).toEqual([expect.stringContaining(`record: ${message}`)])
})

test('without a width (a pipe) no line is wrapped', () => {
  expect(text(busy, Number.POSITIVE_INFINITY).length).toBeLessThan(text(busy, 60).length)
})

test('only commands are wider than the terminal, and nothing steers it', () => {
  const odd = fc.string({ unit: 'grapheme', maxLength: 120 })
  fc.assert(
    fc.property(odd, odd, fc.integer({ min: 24, max: 200 }), (name, reason, width) => {
      const status: StatusView = {
        ...busy,
        troubles: [{ ...busy.troubles[0]!, message: reason, hint: `${name} ${reason}` }],
        folders: [{ ...folder, path: `/srv/${name}`, state: 'offline', reason }],
        problems: [
          {
            ...busy.problems[0]!,
            message: reason,
            examples: [{ folder: 'notes', path: name, message: '' }],
          },
        ],
        over_limit: {
          files: 1,
          bytes: 1,
          places: [{ folder: 'notes', root: '/srv', directory: name, files: 1, bytes: 1 }],
        },
      }
      for (const line of statusLines(status, width)) {
        expect(line.text).not.toMatch(/[\p{Cc}\u202a-\u202e]/u)
        if (!line.is_command) expect(textWidth(line.text)).toBeLessThanOrEqual(width)
      }
    }),
    { numRuns: 200 },
  )
})

test('wrapping keeps every word', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z]{1,20}$/), { minLength: 1 }), (words) => {
      const writer = new LineWriter(30)
      writer.say(words.join(' '), { indent: 4 })
      const said = writer.lines.map((line) => line.text.trim()).join(' ')
      expect(said).toBe(words.join(' '))
    }),
  )
})

describe('a word of the shell', () => {
  test.each([
    ['plain', '/srv/notes-1/a.txt', '/srv/notes-1/a.txt'],
    ['a space', '/a b', `'/a b'`],
    ['a quote', `it's`, `'it'\\''s'`],
    ['what the shell would expand', '$HOME/*~', `'$HOME/*~'`],
    ['nothing', '', `''`],
    ['a line break', "a'\n\\b", `$'a\\'\\x0a\\\\b'`],
    ['what turns the writing direction', 'a\u202eb', `$'a\\xe2\\x80\\xaeb'`],
  ])('%s', (_what, word, quoted) => expect(shellWord(word)).toBe(quoted))
})

test('a trouble that a problem of the health names is not said again', () => {
  const trouble = { about: 'account', code: 'x', hint: null, since: busy.at, last: busy.at }
  const message = "the service does not accept Sluice's token"
  const troubles = [
    { ...trouble, message },
    { ...trouble, about: 'blob', message: 'the connection was cut' },
  ]
  const problem = { about: 'the token', hint: 'renew it', since: busy.at }
  const health = {
    state: 'unhealthy' as const,
    paused: null,
    problems: [{ ...problem, kind: 'account' as const, message }],
  }
  const status = { ...busy, troubles, health }
  expect(otherTroubles(status).map(({ about }) => about)).toEqual(['blob'])
  expect(text(status, 100).filter((line) => line.includes(message))).toHaveLength(1)
  expect(otherTroubles({ ...status, health: undefined })).toHaveLength(2)
})
