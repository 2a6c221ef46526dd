import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import tmp from 'tmp'
import { beforeEach, describe, expect, test } from 'vitest'
import { direct_paths } from '../../src/base/files/paths.ts'
import { isSluiceError } from '../../src/base/run/errors.ts'
import { configFromObject, loadConfig } from '../../src/config/load.ts'
import { serviceStateDir } from '../../src/config/resolve/local-paths.ts'
import { examineConfig } from '../../src/config/resolve/usable.ts'
import { ledgerLimits } from '../../src/daemon/limits.ts'
import { isNotRoot } from '../rig/root-only.ts'

tmp.setGracefulCleanup()
const project_id = 'project_0123456789abcdefghij'
const token = `pat_${'0123456789abcdef'.repeat(2)}`
let home: string
let env: NodeJS.ProcessEnv

beforeEach(() => {
  home = tmp.dirSync({ unsafeCleanup: true }).name
  env = { HOME: home }
})

/** Writes the file and returns its path; `HOME` in the text becomes the temporary home. */
function write(text: string, name = 'sluice.yaml'): string {
  const file = join(home, name)
  writeFileSync(file, text.replaceAll('HOME', home))
  return file
}

function load(text: string) {
  return loadConfig({ file: write(text), env })
}

/** The faults, without the name of the file. */
function faultsOf(text: string): string[] {
  return faultLines(() => load(text)).map((line) =>
    line.replace(`${home}/sluice.yaml:`, '').trimStart(),
  )
}

function faultLines(action: () => unknown): string[] {
  try {
    action()
  } catch (error) {
    if (!isSluiceError(error, 'config.invalid')) throw error
    return error.message.split('\n')
  }
  return []
}

const service = `service:
  base_url: https://assistant.example.com
  project_id: ${project_id}
`
const minimal = `${service}folders:
  - name: notes
    path: HOME/notes
`

describe('a valid file', () => {
  test('durations are whole milliseconds: the ledger takes no fractions', () => {
    const settings = `    settle_ms: 1500.4\nuploads: { min_resend_s: 1001ms }\n`
    const { config } = load(`${minimal}${settings}`)
    expect(config.folders[0]?.settle_ms).toBe(1_500)
    expect(config.uploads.min_resend_s * 1_000).not.toBe(1_001)
    expect(ledgerLimits(config).min_resend_ms).toBe(1_001)
  })

  test('a minimal file gets defaults, durations in ms and sizes in bytes, and is frozen', () => {
    const { config, warnings } = load(minimal)
    expect(warnings).toEqual([])
    expect({
      ...config,
      state_dir: config.state_dir.replace(home, 'HOME'),
      folders: [{ ...config.folders[0], path: '' }],
    }).toMatchInlineSnapshot(`
      {
        "alerts": {
          "deliver": [],
          "group_ms": 60000,
          "ping_every_ms": 300000,
          "resolve_after_ms": 600000,
        },
        "asking": {
          "deadline_ms": {
            "auto": 900000,
            "expert": 1800000,
            "fast": 300000,
            "research": 7200000,
          },
          "deliver_first_ms": 10000,
          "deliver_give_up_ms": 259200000,
          "find_turn_ms": 120000,
          "first_ms": 1000,
          "max_deliver_ms": 3600000,
          "max_ms": 15000,
        },
        "audit": {
          "on_remote_delete": "respect",
          "pages_per_minute": 10,
          "round_hours": 24,
        },
        "folders": [
          {
            "delete_grace_ms": 604800000,
            "dot_files": false,
            "exclude": [],
            "include": [],
            "label_from": "none",
            "labels": [],
            "max_file_bytes": 4294967296,
            "mime_types": {},
            "name": "notes",
            "on_change": "keep",
            "on_delete": "keep",
            "path": "",
            "project_id": "project_0123456789abcdefghij",
            "rescan_interval_ms": 3600000,
            "settle_cap_ms": 600000,
            "settle_ms": 2000,
            "start": {
              "kind": "all",
            },
            "upload_name": "path",
            "watch": "auto",
            "widening": "warn",
          },
        ],
        "follow": {
          "dead_hit_after_ms": 900000,
          "first_ms": 300,
          "list_from": 20,
          "max_ms": 30000,
          "pass_wait_ms": 300000,
        },
        "hashing": {
          "threads": 2,
        },
        "health": {
          "audit_late_ms": 86400000,
          "check_ms": 10000,
          "disk_free_bytes": 500000000,
          "listen": "off",
          "offline_ms": 900000,
          "prompt_late_ms": 900000,
          "queue_age_ms": 21600000,
          "scan_late_ms": 3600000,
          "unreachable_ms": 900000,
        },
        "ledger": {
          "history_days": 90,
        },
        "log": {
          "files_per_second": 10,
          "format": "auto",
          "level": "info",
        },
        "page": {
          "base_url": undefined,
          "listen": "off",
          "proxy": {
            "from": [],
          },
          "readers_ask": 20,
        },
        "prompts": [],
        "removal": {
          "max_files": 100,
          "max_percent": 10,
          "per_hours": 24,
        },
        "scan": {
          "answer_ms": 10000,
          "empty_folder_files": 10,
          "max_hints": 10000,
          "missing_files": 100,
          "missing_percent": 50,
        },
        "service": {
          "base_url": "https://assistant.example.com",
          "project_id": "project_0123456789abcdefghij",
        },
        "state_dir": "HOME/.local/state/sluice",
        "uploads": {
          "bandwidth": [],
          "concurrency": 16,
          "limit": {
            "bytes": 100000000000,
            "files": 100000,
          },
          "limit_hours": 24,
          "max_attempts": 12,
          "max_bytes_per_day": "off",
          "max_retry_ms": 300000,
          "min_resend_s": 600,
          "order": "newest",
          "request_timeout_ms": 30000,
          "retry_first_ms": 1000,
          "small_file_bytes": 1048576,
          "stall_timeout_ms": 60000,
        },
        "watchdog": {
          "silence_ms": 300000,
        },
        "watching": {
          "burst_events": 1000,
          "chokidar_entries": 10000,
          "directory_hints": 200,
          "given_up_rest_ms": 86400000,
          "inotify_percent": 75,
          "max_scan_ms": 900000,
          "memory_percent": 25,
          "min_scan_ms": 30000,
          "missed_scan_ms": 120000,
          "replace_after_files": 10,
          "replace_after_scans": 3,
          "root_check_ms": 5000,
          "scan_load_percent": 10,
          "scan_rest_ms": 2000,
        },
      }
    `)
    expect(Object.isFrozen(config.folders[0]!.labels)).toBe(true)
  })

  test('amounts are written with units or as plain numbers', () => {
    const { config } = load(`${minimal}    settle_ms: 1.5s
    rescan_interval_ms: 90000
    max_file_bytes: 4GB
uploads:
  min_resend_s: 20m
  max_bytes_per_day: 1.5GB
  limit: { files: 10, bytes: 2 TiB }
`)
    expect(config.folders[0]).toMatchObject({
      settle_ms: 1_500,
      rescan_interval_ms: 90_000,
      max_file_bytes: 4e9,
    })
    expect(config.uploads).toMatchObject({
      min_resend_s: 1_200,
      max_bytes_per_day: 1.5e9,
      limit: { files: 10, bytes: 2 ** 41 },
    })
  })

  test.each([
    ['all', { kind: 'all' }],
    ['from_now', { kind: 'from_now' }],
    ['{ newer_than: 90d }', { kind: 'newer_than', age_ms: 7_776_000_000 }],
    ['"newer_than: 90d"', { kind: 'newer_than', age_ms: 7_776_000_000 }],
    ['newer_than 12h', { kind: 'newer_than', age_ms: 43_200_000 }],
  ])('start: %s', (written, start) => {
    expect(load(`${minimal}    start: ${written}\n`).config.folders[0]!.start).toEqual(start)
  })

  test.each(['off', 'false'])('%s turns the upload limit and the daily limit off', (off) => {
    const { config } = load(`${minimal}uploads: { limit: ${off}, max_bytes_per_day: ${off} }\n`)
    expect(config.uploads).toMatchObject({ limit: 'off', max_bytes_per_day: 'off' })
  })

  test('paths, the address and extensions are normalised', () => {
    const { config } = load(`service:
  base_url: http://127.0.0.1:8080/some/path/
  project_id: ${project_id}
  token_file: ~/token
state_dir: ~/state/
folders:
  - { name: n, path: ~/notes//, mime_types: { .MD: text/markdown } }
`)
    expect(config.service).toMatchObject({
      base_url: 'http://127.0.0.1:8080/some/path',
      token_file: join(home, 'token'),
    })
    expect(config.state_dir).toBe(join(home, 'state'))
    expect(config.folders[0]).toMatchObject({
      path: join(home, 'notes'),
      mime_types: { md: 'text/markdown' },
      project_id,
    })
  })

  test('a field without a value counts as missing', () => {
    const { config } = load(`${minimal}    exclude:\n      # - nothing yet\nuploads:\n`)
    expect(config.folders[0]!.exclude).toEqual([])
    expect(config.uploads.concurrency).toBe(16)
  })

  test('a missing folder is offline, not a fault', () => {
    expect(load(minimal).config.folders[0]!.path).toBe(join(home, 'notes'))
  })

  test('a base_url that ends in /v1 gives a warning, which blames no file', () => {
    env.SLUICE_BASE_URL = 'https://other.example.com/v1'
    for (const text of [minimal, minimal.replace('.com', '.com/v1')])
      expect(load(text).warnings).toEqual([
        'the address of the service ends in /v1: Sluice adds /v1 itself, leave it off',
      ])
  })

  test('folders with a common prefix are not nested', () => {
    expect(load(`${minimal}  - { name: b, path: HOME/notes2 }\n`).config.folders).toHaveLength(2)
  })

  test('variables override the log settings of the file', () => {
    env.SLUICE_LOG_LEVEL = 'debug'
    expect(load(`${minimal}log: { level: error, format: json }\n`).config.log).toMatchObject({
      level: 'debug',
      format: 'json',
    })
  })
})

describe('variables in place of fields', () => {
  test('address, project and state directory come from the environment before the file', () => {
    env.SLUICE_BASE_URL = 'https://other.example.com/'
    env.SLUICE_PROJECT_ID = `project_${'z'.repeat(20)}`
    env.SLUICE_STATE_DIR = '~/elsewhere'
    env.STATE_DIRECTORY = '/var/lib/sluice'
    const { config } = load(`${minimal}state_dir: HOME/state\n`)
    expect(config.service).toMatchObject({
      base_url: 'https://other.example.com',
      project_id: env.SLUICE_PROJECT_ID,
    })
    expect(config.folders[0]!.project_id).toBe(env.SLUICE_PROJECT_ID)
    expect(config.state_dir).toBe(join(home, 'elsewhere'))
    expect(load(minimal.slice(minimal.indexOf('folders:'))).config.service).toEqual(config.service)
  })

  test('an invalid variable is named, and the field of the file is not, also where it is missing or wrong', () => {
    env.SLUICE_BASE_URL = 'ftp://other.example.com'
    env.SLUICE_PROJECT_ID = 'project_1'
    env.SLUICE_STATE_DIR = 'elsewhere'
    for (const text of [
      minimal,
      minimal.slice(minimal.indexOf('folders:')),
      `${minimal}state_dir: nowhere\n`,
    ])
      expect(faultsOf(text)).toEqual([
        expect.stringMatching(/^SLUICE_BASE_URL must begin with https:\/\//),
        expect.stringMatching(/^SLUICE_PROJECT_ID must be project_/),
        expect.stringMatching(/^SLUICE_STATE_DIR must be/),
      ])
    expect(examineConfig({ file: write(minimal), env, paths: direct_paths })).toMatchObject({
      faults: expect.arrayContaining([expect.stringMatching(/^SLUICE_BASE_URL must/)]),
      usable: { service: undefined, folders: [{ name: 'notes' }] },
    })
  })

  test('the order is flag, variable, file, default', () => {
    const level = (text: string, log_level?: 'debug') =>
      loadConfig({ file: write(text), env, log_level }).config.log.level
    const with_level = `${minimal}log: { level: error }\n`
    expect([level(minimal), level(with_level)]).toEqual(['info', 'error'])
    env.SLUICE_LOG_LEVEL = 'fatal'
    expect([level(minimal), level(with_level), level(with_level, 'debug')]).toEqual([
      'fatal',
      'fatal',
      'debug',
    ])
  })

  test('a folder keeps the project of its own', () => {
    env.SLUICE_PROJECT_ID = `project_${'z'.repeat(20)}`
    const own = `project_${'y'.repeat(20)}`
    const { config, variables } = load(
      `${minimal}  - { name: b, path: HOME/b, project_id: ${own} }\n`,
    )
    expect(config.folders.map((folder) => folder.project_id)).toEqual([env.SLUICE_PROJECT_ID, own])
    expect(variables).toEqual(['SLUICE_PROJECT_ID'])
  })

  test('a section of the wrong kind keeps its fault, and a state directory in a watched folder is one', () => {
    env.SLUICE_STATE_DIR = '~/notes/state'
    expect(faultsOf(minimal)).toEqual([
      expect.stringMatching(
        /^SLUICE_STATE_DIR must not lie inside a watched folder \(folders\[0\]\)$/,
      ),
    ])
    env.SLUICE_BASE_URL = 'https://other.example.com'
    expect(faultsOf('service: text\nfolders: []\n')).toContainEqual(
      expect.stringMatching(/service: must be/),
    )
  })
})

describe('an invalid file', () => {
  test('all faults are reported at once, each with line, column and field, in the order of the file', () => {
    const faults = faultsOf(`service:
  base_url: ftp://example.com
  project_id: project_short
  tokenfile: /x
folders:
  - name: Notes
    path: notes
    settle_ms: soon
    lables: [a]
  - path: HOME/b
    labels: [x]
uploads:
  concurrency: 65
  limit: { fils: 3 }
fodlers: []
`)
    expect(faults).toEqual([
      '2:3: service.base_url: must begin with https://',
      '3:3: service.project_id: must be project_ and 20 small letters or digits, as the service shows it',
      '4:3: service.tokenfile: there is no such field; did you mean token_file?',
      expect.stringMatching(/^6:5: folders\[0\]\.name: must be 1 to 64 small letters/),
      '7:5: folders[0].path: must be an absolute path, or begin with ~/',
      expect.stringMatching(
        /^8:5: folders\[0\]\.settle_ms: must be a duration from 50ms to 1h, such as 90s/,
      ),
      '9:5: folders[0].lables: there is no such field; did you mean labels?',
      '10:5: folders[1].name: is missing',
      '11:14: folders[1].labels[0]: must have 2 to 255 characters',
      '13:3: uploads.concurrency: must be a whole number from 1 to 64, without a unit, quotes or separators',
      '14:12: uploads.limit.fils: there is no such field; did you mean files?',
      '15:1: fodlers: there is no such field; did you mean folders?',
    ])
  })

  test.each([
    [
      '{ path: "!/a/**", add: [legal] }',
      /^7:16: folders\[0\]\.labels\[0\]\.path: must be a pattern .* without ! or #/,
    ],
    [
      '{ path: "# a", add: [legal] }',
      /^7:16: folders\[0\]\.labels\[0\]\.path: must be a pattern .* without ! or #/,
    ],
    [
      '{ path: "/a/**", add: [] }',
      /^7:31: folders\[0\]\.labels\[0\]\.add: must be a list of 1 to 20 labels$/,
    ],
    [
      '{ path: "/a/**", add: [x] }',
      /^7:37: folders\[0\]\.labels\[0\]\.add\[0\]: must have 2 to 255 characters$/,
    ],
    [
      String.raw`{ path: "/a/**", add: ["le\ngal"] }`,
      /^7:37: folders\[0\]\.labels\[0\]\.add\[0\]: must be in one line/,
    ],
    [
      String.raw`"le\ngal"`,
      /^7:14: folders\[0\]\.labels\[0\]: must be in one line, without control characters$/,
    ],
    [
      String.raw`"le\u2028gal"`,
      /^7:14: folders\[0\]\.labels\[0\]: must be in one line, without control characters$/,
    ],
    ['{ add: [legal] }', /^7:14: folders\[0\]\.labels\[0\]\.path: is missing$/],
    ['7', /^7:14: folders\[0\]\.labels\[0\]: must be a text, .* number here: put it into quotes$/],
  ])('%s gives no label', (rule, fault) => {
    expect(faultsOf(`${minimal.trimEnd()}\n    labels: [${rule}]\n`)).toEqual([
      expect.stringMatching(fault),
    ])
  })

  test.each([
    ['', ['the file is empty: sluice init writes one']],
    ['# service:\n', ['the file is empty: sluice init writes one']],
    ['- a', ['1:1: must be a section with fields of its own']],
    [`${service}folders: []`, ['4:1: folders: must name at least one folder']],
    [`${service}folders: notes`, ['4:1: folders: must be a list of folders, each after "- "']],
    [`${minimal}uploads: fast`, ['7:1: uploads: must be a section with fields of its own']],
    [
      `${minimal}uploads: { limit: hard }`,
      [
        '7:12: uploads.limit: must be off, or files, bytes or both, such as { files: 100000, bytes: 100GB }',
      ],
    ],
    [
      `${minimal}uploads: { max_bytes_per_day: 5 apples }`,
      [/max_bytes_per_day: must be (off, or )?a size/],
    ],
    [
      `${minimal}    start: newer_than: 90d`,
      [/^7:12: .*holds a second colon: put it into quotes$/],
    ],
    [
      `${minimal}    start: { newer_than: 90 }`,
      [/start.*must be all, from_now, or newer_than with an age/],
    ],
    [`${minimal}    start: yesterday`, [/^7:5: folders\[0\]\.start: must be all, from_now, or/]],
    [
      `${minimal}    watch: yes`,
      ['7:5: folders[0].watch: must be one of auto, chokidar, native, scan'],
    ],
    [
      `${minimal}    label_from: folder`,
      ['7:5: folders[0].label_from: must be one of none, first_folder, every_folder'],
    ],
    [`${minimal}    mime_types: { md: markdown }`, [/mime_types\.md: must be a media type/]],
    [`${minimal}    mime_types: { "a/b": text/plain }`, [/mime_types\.a\/b: must be an extension/]],
    [
      `${minimal}    path: HOME/other`,
      [
        '7:5: this field stands twice in its section: keep one of the two, or begin another entry with "- "',
      ],
    ],
    [`${minimal}\tbad: 1`, ['7:1: this line begins with a tab: indent it with spaces']],
    [`${service}folders: *nothing`, [/^4:10: this text begins with \*, .*quotes/]],
    [minimal.replace('https:', 'http:'), [/base_url: must begin with https:\/\/ \(http/]],
    [
      minimal.replace('https://', ''),
      [/base_url: must begin with https:\/\/: write https:\/\/assistant\./],
    ],
    [
      minimal.replace(/base_url: \S+/, 'base_url: localhost:9999'),
      [/base_url: must begin with http:\/\/: write http:\/\/localhost:9999$/],
    ],
    [minimal.replace(/base_url: \S+/, 'base_url: "[::1]:80"'), [/write http:\/\/\[::1\]:80$/]],
    [minimal.replace(/base_url: \S+/, 'base_url: me:SECRET@host'), [/^(?!.*SECRET).*must /]],
    [
      minimal.replace('https://', 'https://me:SECRET@'),
      [/base_url: must not hold a user name or password/],
    ],
    [minimal.replace('.com', '.com?key=SECRET'), [/base_url: must not hold a query/]],
    [
      minimal.replace('https://assistant.example.com', 'assistant'),
      [/base_url: must be an address/],
    ],
  ])('%#', (text, expected) => {
    const faults = faultsOf(text)
    expect(faults).toHaveLength(expected.length)
    for (const [at, line] of expected.entries()) {
      if (typeof line === 'string') expect(faults[at]).toBe(line)
      else expect(faults[at]).toMatch(line)
    }
    expect(faults.join()).not.toContain('SECRET')
  })

  test('a text of aliases that would fill the memory is refused', () => {
    const layers = Array.from(
      { length: 12 },
      (_, n) => `l${n + 1}: &l${n + 1} [${`*l${n},`.repeat(9)}]`,
    )
    expect(faultsOf(`l0: &l0 x\n${layers.join('\n')}\n`)).toContainEqual(
      expect.stringContaining('too many references'),
    )
  })

  test('a variable for the log is checked like the field', () => {
    env.SLUICE_LOG_LEVEL = 'loud'
    expect(faultsOf(minimal)).toEqual([
      expect.stringMatching(/^SLUICE_LOG_LEVEL must be one of trace/),
    ])
  })
})

describe('a token does not belong into the file', () => {
  test.each([
    [`token: ${token}`, '7:1: token'],
    ['token: SECRET', '7:1: token'],
    [`service2: { Token: ${token} }`, '7:13: service2.Token'],
    [`uploads:\n  - [{ api_key: SECRET }]`, '8:8: uploads[0][0].api_key'],
    [`log: { level: ${token} }`, '7:15'],
    [`# ${token}`, '7:3'],
    [`"${token}": 1`, '7:2'],
    [`token: ${token}\n: : [`, '7:1: token'],
    ["log: { level: 'pat_0123456789abcdef0-!$&()*+;=<>^|~' }", '7:16'],
    ['log: { level: "pat_0123456789abcdef0\\"!$&()*+;=<>^|~" }', '7:16'],
    ['x: https://h.example/?key=pat_0123456789abcdef0%2F%3F0123456789abc', '7:27'],
  ])('%s', (line, where) => {
    const faults = faultsOf(`${minimal}${line}\n`)
    const token_faults = faults.filter((fault) =>
      fault.includes('a token does not belong into this file'),
    )
    expect(token_faults).toEqual([expect.stringContaining(`${where}: `)])
    expect(faults.join('\n')).not.toMatch(/0123456789abcdef0|SECRET/)
  })
})

test('a path that begins like a token is none', () => {
  const text = minimal.replace('HOME/notes', `HOME/pat_smith/${'quarterly-report/'.repeat(3)}`)
  expect(faultsOf(`${text}    exclude: [pat_2026-${'long-name-'.repeat(4)}]\n`)).toEqual([])
})

describe('paths that must not overlap', () => {
  const two = (a: string, b: string) =>
    `${service}folders:\n  - { name: a, path: ${a} }\n  - { name: b, path: ${b} }\n`

  test('one folder inside another is refused in both orders, and so is the same folder twice', () => {
    expect(faultsOf(two('HOME/x', 'HOME/x/y'))).toEqual([
      '6:16: folders[1].path: lies inside folders[0]',
    ])
    expect(faultsOf(two('HOME/x/y', 'HOME/x'))).toEqual(['6:16: folders[1].path: holds folders[0]'])
    expect(faultsOf(two('HOME/x', '~/x/'))).toEqual([
      '6:16: folders[1].path: lies inside folders[0]',
    ])
    expect(faultsOf(two('HOME/x', 'HOME/x2'))).toEqual([])
  })

  test('one folder inside another is refused when a symbolic link leads there', () => {
    mkdirSync(join(home, 'real'))
    symlinkSync(join(home, 'real'), join(home, 'link'))
    expect(faultsOf(two('HOME/real', 'HOME/link/deep/er'))).toEqual([
      '6:16: folders[1].path: lies inside folders[0]',
    ])
  })

  test('two folders with one name are refused', () => {
    const text = two('HOME/x', 'HOME/y').replace('name: b', 'name: a')
    expect(faultsOf(text)).toEqual(['6:7: folders[1].name: folders[0] has this name'])
  })

  test('a folder that is a file, or below a file, is refused', () => {
    writeFileSync(join(home, 'notes'), '')
    expect(faultsOf(minimal)).toEqual(['6:5: folders[0].path: is a file, not a folder'])
    expect(faultsOf(minimal.replace('HOME/notes', 'HOME/notes/deep'))).toHaveLength(1)
  })

  test('the state directory inside a watched folder is refused, both set and by default', () => {
    expect(faultsOf(`${minimal}state_dir: HOME/notes/state\n`)).toEqual([
      '7:1: state_dir: must not lie inside a watched folder (folders[0])',
    ])
    expect(faultsOf(minimal.replace('HOME/notes', '/'))).toEqual([
      expect.stringMatching(
        /^6:5: folders\[0\]\.path: holds state_dir \(.*\.local\/state\/sluice\), which must lie outside/,
      ),
    ])
  })

  test('the token file inside a watched folder is refused, because it would be sent', () => {
    const text = minimal.replace('folders:', '  token_file: HOME/notes/token\nfolders:')
    expect(faultsOf(text)).toEqual([
      '4:3: service.token_file: must not lie inside a watched folder (folders[0])',
    ])
    env.SLUICE_TOKEN_FILE = join(home, 'notes', 'token')
    expect(faultsOf(minimal)).toEqual([expect.stringContaining('holds the token file')])
  })

  test('a ca_file that cannot be read is refused', () => {
    const text = minimal.replace('folders:', '  ca_file: HOME/ca.pem\nfolders:')
    expect(faultsOf(text)).toEqual([
      '4:3: service.ca_file: cannot be read (no such file or directory)',
    ])
    write('', 'ca.pem')
    expect(load(text).config.service.ca_file).toBe(join(home, 'ca.pem'))
  })
})

describe('which file is loaded', () => {
  function withCwd<T>(folder: string, action: () => T): T {
    const before = process.cwd()
    process.chdir(folder)
    try {
      return action()
    } finally {
      process.chdir(before)
    }
  }

  test('--config comes first, then SLUICE_CONFIG, the current folder and XDG_CONFIG_HOME', () => {
    const inside = join(home, 'cwd')
    mkdirSync(inside)
    mkdirSync(join(home, 'xdg', 'sluice'), { recursive: true })
    env.XDG_CONFIG_HOME = join(home, 'xdg')
    const found = (file?: string) =>
      withCwd(inside, () => loadConfig({ file, env }).file.replace(home, ''))

    write(minimal, 'xdg/sluice/sluice.yaml')
    expect(found()).toBe('/xdg/sluice/sluice.yaml')
    write(minimal, 'cwd/sluice.yaml')
    expect(found()).toMatch(/\/cwd\/sluice\.yaml$/)
    env.SLUICE_CONFIG = write(minimal, 'env.yaml')
    expect(found()).toBe('/env.yaml')
    expect(found(write(minimal, 'argument.yaml'))).toBe('/argument.yaml')
  })

  test('a relative XDG_CONFIG_HOME is ignored, as its specification asks', () => {
    mkdirSync(join(home, '.config', 'sluice'), { recursive: true })
    const file = write(minimal, '.config/sluice/sluice.yaml')
    expect(withCwd(home, () => loadConfig({ env: { ...env, XDG_CONFIG_HOME: 'xdg' } }).file)).toBe(
      file,
    )
  })

  test('without a file the error lists the places that were searched', () => {
    expect(() => withCwd(home, () => loadConfig({ env }))).toThrow(
      /looked for .*\.config\/sluice\/sluice\.yaml.*\/etc/,
    )
  })

  test('a named file that is missing, a directory, or far too large is refused', () => {
    expect(() => loadConfig({ file: join(home, 'no.yaml'), env })).toThrow(/no configuration at/)
    expect(() => loadConfig({ file: home, env })).toThrow(/cannot read/)
    expect(() => loadConfig({ file: write('#'.repeat(1_000_001)), env })).toThrow(
      /more than 1000000/,
    )
  })

  test.skipIf(isNotRoot('a configuration of another user'))(
    'a file of another user in the current folder is not used',
    async () => {
      const { chownSync } = await import('node:fs')
      const file = write(minimal)
      chownSync(file, 12_345, 12_345)
      chmodSync(home, 0o755)
      expect(() => withCwd(home, () => loadConfig({ env }))).toThrow(/belongs to another user/)
      expect(loadConfig({ file, env }).file).toBe(file)
    },
  )
})

test('a configuration in /etc/sluice uses the state directory of its service', () => {
  expect(serviceStateDir('/etc/sluice/sluice.yaml')).toBe('/var/lib/sluice')
  expect(serviceStateDir('/etc/sluice/legal.yaml')).toBe('/var/lib/sluice-legal')
  for (const other of [
    '/etc/sluice/a/b.yaml',
    '/home/a/etc/sluice/sluice.yaml',
    '/etc/sluice/sluice.yaml.old',
  ]) {
    expect(serviceStateDir(other)).toBeUndefined()
  }
})

describe('a configuration from an object', () => {
  const object = {
    service: { base_url: 'http://127.0.0.1:1', project_id },
    folders: [{ name: 'a', path: '/tmp/a' }],
  }

  test('follows the same rules, without positions', () => {
    expect(configFromObject(object, env).state_dir).toBe(join(home, '.local/state/sluice'))
    expect(faultLines(() => configFromObject({ ...object, foldres: 1 }, env))).toEqual([
      'foldres: there is no such field; did you mean folders?',
    ])
  })

  test.each([
    [{ STATE_DIRECTORY: '/var/lib/sluice:/var/lib/other' }, '/var/lib/sluice'],
    [{ XDG_STATE_HOME: '/x' }, '/x/sluice'],
    [{ XDG_STATE_HOME: 'relative' }, 'HOME/.local/state/sluice'],
    [{ STATE_DIRECTORY: '' }, 'HOME/.local/state/sluice'],
  ])('the state directory is the one that %o sets', (more, expected) => {
    expect(configFromObject(object, { ...env, ...more }).state_dir).toBe(
      expected.replace('HOME', home),
    )
  })
})
