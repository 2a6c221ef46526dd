import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import tmp from 'tmp'
import { beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { isSluiceError } from '../../src/base/run/errors.ts'
import type { Config, PromptConfig } from '../../src/config/config.ts'
import { configFromObject, loadConfig } from '../../src/config/load.ts'
import { configAsYaml, maskedConfig } from '../../src/config/resolve/effective.ts'
import type { AskingLimits, PromptSettings } from '../../src/prompts/prompt-settings.ts'

tmp.setGracefulCleanup()
const project_id = 'project_0123456789abcdefghij'
const other_project_id = 'project_zzzzzzzzzzzzzzzzzzzz'
const chat_id = 'chat_0123456789abcdefghij'
let home: string

beforeEach(() => {
  home = tmp.dirSync({ unsafeCleanup: true }).name
})

/** The prompts begin in line 7. */
function load(prompts: string) {
  return loaded(prompts).config
}

function loaded(prompts: string) {
  const text = `service: { base_url: https://assistant.example.com, project_id: ${project_id} }
folders:
  - { name: finance, path: ~/finance, exclude: [/out/, "#/kept/", "#kept"] }
  - { name: legal, path: ~/legal }
  - { name: foreign, path: ~/foreign, project_id: ${other_project_id}, exclude: [/out/, '!*.tmp'] }
prompts:
${prompts}`
  const file = join(home, 'sluice.yaml')
  writeFileSync(file, text)
  return loadConfig({ file, env: { HOME: home } })
}

function faultsOf(prompts: string): string[] {
  try {
    load(prompts)
  } catch (error) {
    if (!isSluiceError(error, 'config.invalid')) throw error
    return error.message.split('\n').map((line) => line.replace(`${home}/sluice.yaml:`, ''))
  }
  return []
}

/** One prompt in one line; fields given again override the defaults. */
function prompt(fields: Record<string, string> = {}): string {
  const all = {
    name: 'p',
    cron: '"0 8 * * *"',
    prompt: 'What?',
    scope: '{ folders: [finance] }',
    ...fields,
  }
  return `  - { ${Object.entries(all)
    .map(([key, value]) => `${key}: ${value}`)
    .join(', ')} }\n`
}

function first(prompts: string): PromptConfig {
  return load(prompts).prompts[0]!
}

function delivery(text: string): string {
  return prompt({ deliver: `[${text}]` })
}

test('the types of the configuration and of the prompts module fit each other', () => {
  const there = (config: Config): { prompts: readonly PromptSettings[]; asking: AskingLimits } =>
    config
  const back = (settings: {
    prompts: readonly PromptSettings[]
    asking: AskingLimits
  }): Pick<Config, 'prompts' | 'asking'> => settings
  const config = load(prompt())
  expect(back(there(config))).toBe(config)
})

describe('a valid prompt', () => {
  test('a minimal prompt gets defaults, a report in the state directory and the zone of the machine', () => {
    expect(first(prompt())).toEqual({
      name: 'p',
      project_id,
      schedule: { cron: '0 8 * * *', timezone: Intl.DateTimeFormat().resolvedOptions().timeZone },
      prompt: 'What?',
      intelligence: 'auto',
      provider: undefined,
      skills: [],
      read: undefined,
      public_data: undefined,
      language: 'en',
      scope: {
        folders: ['finance'],
        paths: [],
        fresh: 'since_last_run',
        labels: [],
        chats: [],
        concepts: [],
        projects: [],
        views: [],
      },
      first_run: 'from_now',
      when_nothing_new: 'skip',
      wait_for_files_ms: 1_200_000,
      max_assets: 200,
      when_too_many: 'next_run',
      continue_chat: false,
      catch_up_ms: 21_600_000,
      overlap: 'skip',
      report: { dir: join(home, '.local/state/sluice/reports'), file_name: '{{name}}-{{date}}.md' },
      deliver: [],
    })
  })

  test('the first file is the report; other deliveries are named by kind and receiver', () => {
    const { report, deliver } = first(
      delivery(
        '{ webhook: { url_file: ~/hook } }, { file: { dir: ~/a } }, { file: { dir: /b, name: x.md } }, ' +
          '{ name: publish, command: { run: [/bin/true, "{{report}}"] } }',
      ),
    )
    expect(report).toEqual({ dir: join(home, 'a'), file_name: '{{name}}-{{date}}.md' })
    expect(deliver).toEqual([
      {
        kind: 'webhook',
        name: expect.stringMatching(/^webhook-[0-9a-f]{8}$/),
        url_file: join(home, 'hook'),
        body: 'json',
      },
      {
        kind: 'file',
        name: expect.stringMatching(/^file-[0-9a-f]{8}$/),
        dir: '/b',
        file_name: 'x.md',
      },
      { kind: 'command', name: 'publish', run: ['/bin/true', '{{report}}'], timeout_ms: 60_000 },
    ])
  })

  test.each([
    ['since_last_run', 'since_last_run'],
    ['all', 'all'],
    ['24h', { within_ms: 86_400_000 }],
    ['7d', { within_ms: 604_800_000 }],
  ])('fresh: %s', (written, fresh) => {
    expect(
      first(prompt({ scope: `{ folders: [finance], fresh: ${written} }` })).scope.fresh,
    ).toEqual(fresh)
  })

  test('a prompt uses its own project, else the one of its folders, else the one of the service', () => {
    const scope = `{ chats: [${chat_id}] }`
    expect(first(prompt({ scope: '{ folders: [foreign] }' })).project_id).toBe(other_project_id)
    expect(first(prompt({ scope })).project_id).toBe(project_id)
    expect(first(prompt({ scope, project_id: other_project_id })).project_id).toBe(other_project_id)
  })

  test.each([
    ['{ host: h }', { host: 'h', port: 465, tls: 'implicit' }],
    ['{ host: h, port: 587 }', { host: 'h', port: 587, tls: 'starttls' }],
    ['{ host: h, tls: starttls }', { host: 'h', port: 587, tls: 'starttls' }],
    ['{ host: localhost, tls: none }', { host: 'localhost', port: 25, tls: 'none' }],
    ['{ host: "::1", tls: none, port: 2525 }', { host: '::1', port: 2_525, tls: 'none' }],
  ])('mail server %s, set for the delivery or for the whole file', (written, smtp) => {
    const email = 'to: [Ada <ada@example.org>], from: a@b.org'
    const own = first(delivery(`{ email: { ${email}, smtp: ${written} } }`)).deliver[0]
    const general = first(`${delivery(`{ email: { ${email} } }`)}smtp: ${written}\n`).deliver[0]
    expect(own).toEqual({
      kind: 'email',
      name: expect.stringMatching(/^email-[0-9a-f]{8}$/),
      to: ['Ada <ada@example.org>'],
      from: 'a@b.org',
      smtp,
    })
    expect(general).toEqual(own)
  })

  test.each([
    ['finance/out', true],
    ['finance/out/weekly', true],
    ['finance/kept', false],
    ['foreign/out', false],
    ['finance/other/out', false],
    ['finance', false],
    ['finances', true],
  ])('reports in ~/%s: %s', (dir, is_allowed) => {
    const faults = faultsOf(delivery(`{ file: { dir: ~/${dir} } }`))
    expect(faults).toHaveLength(is_allowed ? 0 : 1)
    if (!is_allowed) expect(faults[0]).toContain('reports would be uploaded as input')
  })
})

test('the advice mentions a negation that may include a directory again', () => {
  const [fault] = faultsOf(delivery('{ file: { dir: ~/foreign/out } }'))
  expect(fault).toContain(
    'exclude hold "/out/" and no negation such as !*.tmp, which may bring a part of it back',
  )
  expect(faultsOf(delivery('{ file: { dir: ~/finance/x } }'))[0]).toMatch(/exclude hold "\/x\/"$/)
})

describe('an invalid prompt', () => {
  test('all faults are reported at once with positions, among those of other sections', () => {
    const faults = faultsOf(`  - name: weekly
    cron: "0 8 * *"
    prompt: "{{folder}} {{since}}"
    scope: { folders: [] }
    max_assets: 0
  - name: weekly
    cron: "0 0 31 2 *"
    timezone: Europe/Atlantis
    prompt: x
    scope: { folders: [finanec, legal, foreign], labels: [a] }
  - name: third
    cron: "0 8 * * 1"
    prompt: x
    scope: { folders: [finanec, legal, foreign] }
    when_nothing_new: run
    deliver:
      - file: { dir: ~/legal/reports }
      - { name: twice, webhook: { url: "https://example.com" } }
      - { name: twice, email: { to: [a@b.org], from: a@b.org } }
uploads: { concurrency: 0 }
`)
    const expected = [
      /^8:5: prompts\[0\]\.cron: .*five fields/,
      /^9:5: prompts\[0\]\.prompt: there is no {{folder}}; did you mean {{folders}}\?$/,
      /^11:5: prompts\[0\]\.max_assets: must be a whole number from 1 to 10000, without/,
      /^12:5: prompts\[1\]\.name: prompts\[0\] has this name$/,
      /^13:5: prompts\[1\]\.cron: .*never comes true/,
      /^14:5: prompts\[1\]\.timezone: must be a time zone/,
      /^16:59: prompts\[1\]\.scope\.labels\[0\]: must have 2 to 255/,
      /^20:24: prompts\[2\]\.scope\.folders\[0\]: there is no such folder; did you mean finance\?$/,
      /^20:40: prompts\[2\]\.scope\.folders\[2\]: is a folder of another project; a prompt belongs to one project$/,
      /^21:5: prompts\[2\]\.when_nothing_new: must be skip: without new files the scope would be empty/,
      /^23:17: prompts\[2\]\.deliver\[0\]\.file\.dir: must not lie .* let folders\[1\]\.exclude hold "\/reports\/"$/,
      /^25:11: prompts\[2\]\.deliver\[2\]\.name: prompts\[2\]\.deliver\[1\] has this name$/,
      /^25:24: prompts\[2\]\.deliver\[2\]\.email: has no server/,
      /^26:12: uploads\.concurrency/,
    ]
    expect(faults).toEqual(expected.map((line) => expect.stringMatching(line)))
  })

  test.each([
    [
      '{ folders: [Finance] }',
      ['scope.folders[0]: there is no such folder; did you mean finance?'],
    ],
    ['{}', ['scope: must name something: an empty scope would mean everything']],
    [`{ chats: [${chat_id}], paths: ["*.pdf"] }`, ['scope.paths: needs folders beside it']],
    [`{ chats: [${chat_id}], fresh: all }`, ['scope.fresh: needs folders beside it']],
    [
      '{ folders: [finance], fresh: soon }',
      ['scope.fresh: must be since_last_run, all, or an age'],
    ],
    ['{ folders: [finance], fresh: 0s }', ['scope.fresh: must be since_last_run, all, or an age']],
    ['{ folders: [finance], paths: ["!a", "#b"] }', ['scope.paths: must hold a pattern']],
    [
      '{ folders: [finance], paths: ["~/finance/*.pdf", b] }',
      ['scope.paths[0]: must be relative to the folder'],
    ],
    ['{ views: [chat_0123456789abcdefghij] }', ['scope.views[0]: must be view_ and 20']],
  ])('scope: %s', (scope, expected) => {
    const faults = faultsOf(prompt({ scope }))
    expect(faults).toEqual(expected.map((line) => expect.stringContaining(`prompts[0].${line}`)))
  })

  test.each([
    ['{}', /deliver\[0\]: must be one of file, webhook, email, command$/],
    ['{ file: { dir: /a }, webhook: { url: "https://x.org" } }', /deliver\[0\]: must be one of/],
    ['{ fiel: { dir: /a } }', /deliver\[0\]\.fiel: .* did you mean file\?/],
    [
      '{ file: { dir: /a, name: "{{dat}}.md" } }',
      /file\.name: there is no {{dat}}; did you mean {{date}}\?/,
    ],
    ['{ file: { dir: /a, name: "{{count}}.md" } }', /file\.name: there is no {{count}}/],
    ['{ file: { dir: /a, name: a/b.md } }', /file\.name: must not hold a slash/],
    ['{ file: { dir: /a, name: x.json } }', /file\.name: must not .* end in \.json/],
    [
      '{ command: { run: [/x, "{{reprot}}"] } }',
      /run\[1\]: there is no {{reprot}}; did you mean {{report}}\?$/,
    ],
    [
      '{ email: { to: [a@b.org], from: a@b.org, subject: "{{dat}}", smtp: { host: h } } }',
      /email\.subject: there is no {{dat}}; did you mean {{date}}\?$/,
    ],
    [
      `{ webhook: { url: "https://x.org", body: { template: '{"a": "{{txet}}"}' } } }`,
      /body\.template: there is no {{txet}}; did you mean {{text}}\?$/,
    ],
    [
      `{ webhook: { url: "https://x.org", body: { template: '{"a": {{count}}}' } } }`,
      /body\.template: must be JSON once/,
    ],
    [
      '{ file: { dir: /a } }, { file: { dir: /a/ } }',
      /deliver\[1\]\.file: is the file of deliver\[0\], too/,
    ],
    ['{ webhook: { body: json } }', /webhook: must have either url or url_file$/],
    [
      '{ webhook: { url: "https://x.org", url_file: /x } }',
      /webhook: must have either url or url_file$/,
    ],
    ['{ webhook: { url: "http://SECRET.org" } }', /webhook\.url: must begin with https/],
    [
      '{ webhook: { url: "https://me:SECRET@x.org" } }',
      /webhook\.url: must not hold a user name or password/,
    ],
    [
      '{ webhook: { url: "https://x.org", body: xml } }',
      /webhook\.body: must be json, slack, teams, or a template/,
    ],
    [
      '{ webhook: { url: "https://x.org", secret_file: ~/legal/s } }',
      /secret_file: .*: it would be uploaded$/,
    ],
    [
      '{ webhook: { url: "https://x.org", secret: SECRET } }',
      /webhook\.secret: a secret .* as secret_file$/,
    ],
    ['{ command: { run: [publish] } }', /command\.run\[0\]: must be an absolute path/],
    ['{ command: { run: [] } }', /command\.run: must name a program/],
    [
      '{ command: { run: [/x], timeout: 60 } }',
      /command\.timeout: must be a duration from 1s to 1h/,
    ],
    [
      '{ email: { to: [ada], from: a@b.org, smtp: { host: h } } }',
      /email\.to\[0\]: must be an address/,
    ],
    [
      '{ email: { to: ["a@b.org\\nBcc: x@y.org"], from: a@b.org, smtp: { host: h } } }',
      /email\.to\[0\]: must be an add/,
    ],
    [
      '{ email: { to: [a@b.org], from: a@b.org, smtp: { host: h, tls: none } } }',
      /smtp\.tls: must be implicit or/,
    ],
    [
      '{ email: { to: [a@b.org], from: a@b.org, smtp: { host: h, user: u } } }',
      /smtp\.user: needs a password_file/,
    ],
    [
      '{ email: { to: [a@b.org], from: a@b.org, smtp: { host: h, password: SECRET } } }',
      /smtp\.password: a password /,
    ],
  ])('deliver: %s', (written, expected) => {
    const faults = faultsOf(delivery(written))
    expect(faults).toEqual([expect.stringMatching(expected)])
    expect(faults.join()).not.toContain('SECRET')
  })

  test('a password file inside a watched folder, and a directory behind a link, are refused', () => {
    mkdirSync(join(home, 'legal'))
    symlinkSync(join(home, 'legal'), join(home, 'link'))
    expect(faultsOf(delivery('{ file: { dir: ~/link/x } }'))).toEqual([
      expect.stringContaining('(folders[1])'),
    ])
    const faults = faultsOf(`${prompt()}smtp: { host: h, user: u, password_file: ~/legal/p }\n`)
    expect(faults).toEqual([
      expect.stringMatching(/smtp\.password_file: must not lie .* it would be uploaded/),
    ])
  })

  test('a delivery may have the default name of another one, but not its given name', () => {
    const [hook, copy] = ['{ webhook: { url_file: /a } }', '{ webhook: { url_file: /b } }']
    const names = (list: string[]) =>
      first(delivery(list.join(', '))).deliver.map(({ name }) => name)
    expect(names([hook, copy])).toEqual([...names([copy]), ...names([hook])].reverse())
    const [fault] = faultsOf(
      delivery(`{ name: ${names([copy])[0]}, webhook: { url_file: /a } }, ${copy}`),
    )
    expect(fault).toMatch(/deliver\[1\]\.name: prompts\[0\]\.deliver\[0\] has this name$/)
  })

  test('two deliveries to one receiver need a name for at least one of them', () => {
    const hook = (fields: string) => `{ ${fields} webhook: { url_file: /a, body: slack } }`
    expect(faultsOf(delivery(`${hook('')}, ${hook('')}`))).toEqual([
      expect.stringMatching(
        /\.deliver\[1\]: has the receiver of prompts\[0\]\.deliver\[0\]: give one of the two a name/,
      ),
    ])
    expect(faultsOf(delivery(`${hook('name: first,')}, ${hook('')}`))).toEqual([])
  })

  test('reports may not go to the state directory, except to its own reports/', () => {
    const dir = (path: string) => faultsOf(delivery(`{ file: { dir: ${path} } }`))
    const state_dir = '~/.local/state/sluice'
    for (const path of [state_dir, `${state_dir}/mine`]) {
      expect(dir(path)).toEqual([
        expect.stringMatching(
          /file\.dir: must not lie in the state folder \(.*, except in its reports directory/,
        ),
      ])
    }
    expect(dir(`${state_dir}/reports`)).toEqual([])
    expect(dir(`${state_dir}-reports`)).toEqual([])
  })

  test('each secret file that is open to others gives one warning', () => {
    const modes = { hook: 0o640, address: 0o604, password: 0o600, other: 0o644 }
    for (const [name, mode] of Object.entries(modes))
      writeFileSync(join(home, name), 'secret', { mode })
    const hook = (name: string) =>
      `{ name: ${name}, webhook: { url_file: ~/address, secret_file: ~/hook } }`
    const smtp = (name: string) =>
      `{ email: { to: [${name}@b.org], from: a@b.org, smtp: { host: h, user: u, password_file: ~/${name} } } }`
    const warnings = loaded(
      delivery([hook('one'), hook('two'), smtp('password'), smtp('other'), smtp('missing')].join()),
    ).warnings
    expect(warnings).toEqual(
      ['address', 'hook', 'other'].map((name) =>
        expect.stringContaining(`the secret file ${join(home, name)} is open to group`),
      ),
    )
  })
})

describe('a configuration that is shown again', () => {
  const hook = (url: string) =>
    prompt({
      scope: '{ folders: [finance, legal], fresh: 36h, labels: [contract] }',
      deliver: `[{ webhook: { url: "${url}", body: { template: '{"text": "{{text}}"}' } } }, { file: { dir: /a } }, { command: { run: [/x] } }]`,
    }) +
    prompt({
      name: 'second',
      scope: `{ chats: [${chat_id}] }`,
      provider: 'openai',
      public_data: 'false',
    }) +
    prompt({ name: 'third', deliver: '[{ email: { to: [a@b.org], from: a@b.org } }]' }) +
    'smtp: { host: h, user: u, password_file: /p }\nasking: { deadline_ms: { fast: 1m } }\n'

  test('reads back as the same configuration, except for the webhook address', () => {
    const config = load(hook('https://hooks.example.com:8443/T0/SECRET?key=SECRET'))
    const printed = configAsYaml(config)
    expect(printed).not.toContain('SECRET')
    expect(printed).toContain('url: https://hooks.example.com:8443/***')
    expect(printed).toMatch(/^# \*\*\* in an address stands for what is not shown\n/)
    const again = configFromObject(parse(printed), { HOME: home })
    expect(again).toEqual(maskedConfig(config))
  })

  test('the commented prompt of the example is valid, and shows the true defaults', () => {
    const minimal = prompt()
    const file = fileURLToPath(new URL('../../config/sluice.example.yaml', import.meta.url))
    const lines = readFileSync(file, 'utf8').split('\n')
    const block = (name: string) => {
      const begin = lines.indexOf(`# ${name}:`)
      const end = lines.findIndex((line, at) => at > begin && !line.startsWith('#'))
      return lines.slice(begin, end).map((line) => line.slice(2))
    }
    const head = lines.slice(
      0,
      lines.findIndex((line) => line.startsWith('asking:')),
    )
    const path = join(home, 'example.yaml')
    const text = [...head, ...block('prompts'), ...block('smtp')].join('\n')
    writeFileSync(path, text.replace('~/.config/sluice/token', join(home, 'token')))
    const { prompts } = loadConfig({ file: path, env: { HOME: home } }).config
    const {
      name,
      schedule,
      prompt: _text,
      scope,
      provider,
      public_data,
      read,
      report,
      deliver,
      ...defaults
    } = prompts[0]!
    expect(first(minimal)).toMatchObject(defaults)
    expect(deliver.map((target) => target.name)).toEqual([
      expect.stringMatching(/^webhook-[0-9a-f]{8}$/),
      expect.stringMatching(/^webhook-[0-9a-f]{8}$/),
      expect.stringMatching(/^email-[0-9a-f]{8}$/),
      'publish',
    ])
    expect(scope).toMatchObject({ folders: ['notes'], fresh: 'since_last_run' })
    expect({ name, schedule, provider, public_data, report }).toEqual({
      name: 'weekly-digest',
      schedule: { cron: '0 8 * * 1', timezone: 'Europe/Berlin' },
      provider: 'anthropic',
      public_data: false,
      report: { dir: '/srv/reports', file_name: '{{name}}-{{date}}.md' },
    })
  })
})
