import { spawn, spawnSync } from 'node:child_process'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import tmp from 'tmp'
import { beforeEach, describe, expect, test } from 'vitest'
import { readSource } from '../house/read-source.ts'

tmp.setGracefulCleanup()
const root = fileURLToPath(new URL('../..', import.meta.url))
const program = join(root, 'dist/cli/main.js')
const token = `pat_${'0123456789abcdef'.repeat(2)}`
const project_id = 'project_0123456789abcdefghij'
let home: string

beforeEach(() => {
  home = tmp.dirSync({ unsafeCleanup: true }).name
})

interface Ended {
  code: number | null
  out: string
  err: string
}

async function sluice(words: string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = spawn(program, words, {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, ...env },
  })
  const ended: Ended = { code: null, out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    ended.out += String(chunk)
  })
  child.stderr.on('data', (chunk) => {
    ended.err += String(chunk)
  })
  ended.code = await new Promise((resolve) => child.on('close', resolve))
  return ended
}

function writeConfig(more = ''): string {
  const file = join(home, 'sluice.yaml')
  const service = `service: { base_url: "https://assistant.example.com", project_id: ${project_id} }`
  writeFileSync(file, `${service}\nfolders: [{ name: notes, path: ~/notes }]\n${more}`)
  return file
}

test('the build creates an executable program', async () => {
  accessSync(program, constants.X_OK)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(await sluice(['version'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
  expect(await sluice(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
})

test('output into a pipe has no colours, and errors go to standard error', async () => {
  expect(await sluice(['confg'])).toEqual({
    code: 64,
    out: '',
    err: 'sluice: confg is no command of sluice\n  did you mean config?\n',
  })
})

test('a reader that closes the pipe is no fault', async () => {
  writeConfig()
  const child = spawn(program, ['config'], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home },
  })
  child.stdout.destroy()
  let err = ''
  child.stderr.on('data', (chunk) => {
    err += String(chunk)
  })
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
  expect(err).toBe('')
})

/** The program with its output in this file, and what it then reports. */
async function into(file: string, words: string[]): Promise<Omit<Ended, 'out'>> {
  const out = openSync(file, 'w')
  const child = spawn(program, words, {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ['ignore', out, 'pipe'],
  })
  closeSync(out)
  let err = ''
  child.stderr?.on('data', (chunk) => {
    err += String(chunk)
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, err }
}

test.skipIf(!existsSync('/dev/full'))(
  'a full disk under the output is reported in one line',
  async () => {
    writeConfig()
    for (const words of [['config'], ['status'], ['--help']]) {
      const { code, err } = await into('/dev/full', words)
      expect([words, code]).toEqual([words, 1])
      expect(err).toMatch(/^sluice: the output cannot be written: .*no space left on device/)
      expect(err).not.toMatch(/^\s+at |fault of Sluice/m)
    }
  },
)

test('a reader that closes the pipe ends an endless command', async () => {
  writeConfig()
  for (const line of ['status --watch', 'status --watch --json']) {
    const reads = `"${process.execPath}" "${program}" ${line} | head -n 1; exit "\${PIPESTATUS[0]}"`
    const { status, stdout, stderr } = spawnSync('bash', ['-c', reads], {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home },
      encoding: 'utf8',
      timeout: 50_000,
    })
    expect([line, status, stderr]).toEqual([line, 0, ''])
    expect(stdout.split('\n')).toHaveLength(2)
  }
})

test.skipIf(process.platform === 'win32')(
  'a configuration that is a pipe or a device is refused at once',
  async () => {
    const pipe = join(home, 'pipe')
    spawnSync('mkfifo', [pipe])
    for (const [command, file] of [
      ['config', pipe],
      ['doctor', pipe],
      ['status', '/dev/zero'],
      ['config', home],
    ] as const) {
      const { code, out, err } = await sluice([command, '--config', file])
      expect([command, file, code], err).toEqual([command, file, 78])
      expect(out + err).toContain(`cannot read ${file}: it is`)
    }
  },
)

test.each([
  ['doctor'],
  ['doctor', '--all'],
  ['doctor', '--json'],
  ['status'],
  ['config', '--json'],
  ['plan'],
  ['mcp'],
])('a token in place of a path is not printed: %s %s', async (...words) => {
  const given = words.filter((word) => word !== undefined)
  const named = await sluice(given, { SLUICE_CONFIG: token })
  expect([named.code, named.out + named.err]).toEqual([
    78,
    expect.stringMatching(/holds a token, where the path of a configuration is wanted/),
  ])
  const others = [
    await sluice([...given, '--config', token]),
    await sluice(given, { SLUICE_CONFIG: `/nowhere/${token}` }),
    await sluice(given, { SLUICE_CONFIG: `./${token}.yaml` }),
    await sluice(given, { HOME: token }),
  ]
  for (const { out, err } of [named, ...others]) expect(out + err).not.toContain(token)
})

describe('sluice config', () => {
  test('--json: the answer has a version and the source of the token, but never the token', async () => {
    const file = writeConfig()
    writeFileSync(join(home, 'token'), token, { mode: 0o644 })
    const { code, out, err } = await sluice(['config', '--json'], { SLUICE_TOKEN_FILE: 'token' })
    expect([code, err]).toEqual([0, ''])
    const answer = JSON.parse(out.replaceAll(home, 'HOME'))
    expect(answer.file).toBe(file.replace(home, 'HOME'))
    expect(answer).toMatchSnapshot()
    expect(out).not.toContain(token.slice(4))
  })

  test('as text: YAML and the source of the token; warnings go to standard error', async () => {
    writeConfig()
    writeFileSync(join(home, 'token'), token, { mode: 0o644 })
    const { code, out, err } = await sluice(['config'], { SLUICE_TOKEN_FILE: join(home, 'token') })
    expect(code).toBe(0)
    expect(out).toMatch(
      /^# in force, from .*sluice\.yaml.*\n# token: \*\*\* from file .*token \(SLUICE_TOKEN_FILE\)\nservice:\n/,
    )
    expect(out).not.toContain(token.slice(4))
    expect(err).toMatch(/^warning: the token file .* chmod 600/)
  })

  test('names the variables that come before fields of the file', async () => {
    const file = writeConfig()
    const { out } = await sluice(['config'], {
      SLUICE_BASE_URL: 'https://other.example.com',
      SLUICE_LOG_LEVEL: 'warn',
    })
    expect(out).toContain(
      `# in force, from SLUICE_BASE_URL, SLUICE_LOG_LEVEL, ${file} and the defaults\n`,
    )
    expect(out).toContain('base_url: https://other.example.com\n')
  })

  test('a missing token is part of the answer', async () => {
    writeConfig()
    expect(await sluice(['config'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('# token: none (there is no'),
    })
  })

  test('reports every fault at once with exit code 78, and shows no token even if the file contains it', async () => {
    const file = writeConfig(`token: ${token}\nfodlers: 1\nuploads: { concurrency: 0 }\n`)
    const { code, out, err } = await sluice(['config'])
    expect([code, out]).toEqual([78, ''])
    expect(err.split('\n')).toEqual([
      expect.stringContaining(`sluice: ${file}:3:1: token: a token does not belong into this file`),
      `sluice: ${file}:4:1: fodlers: there is no such field; did you mean folders?`,
      `sluice: ${file}:5:12: uploads.concurrency: must be a whole number from 1 to 64, without a unit, quotes or separators`,
      expect.stringMatching(/^ {2}docs\/config\.md/),
      '',
    ])
    expect(err).not.toContain(token.slice(4))
  })

  test('no configuration: exit code 78, with the places that were searched', async () => {
    mkdirSync(join(home, 'elsewhere'))
    const { code, err } = await sluice(['config'])
    expect(code).toBe(78)
    expect(err).toMatch(/^sluice: No configuration yet\. Run `sluice init` to write one\./)
    expect(err).toContain(`${home}/.config/sluice/sluice.yaml`)
  })
})

test('the program loads little before it knows its command', () => {
  const packages = new Set<string>()
  const seen = new Set<string>()
  const follow = (path: string) => {
    if (seen.has(path)) return
    seen.add(path)
    for (const { specifier, kind } of readSource(path, readFileSync(path, 'utf8')).imports) {
      if (kind !== 'import') continue
      if (specifier.startsWith('.')) follow(join(path, '..', specifier))
      else if (!specifier.startsWith('node:')) packages.add(specifier)
    }
  }
  // Built files name no module that they take only types from.
  follow(join(root, 'dist/cli/program.js'))
  expect([...packages]).toEqual(['yargs'])
})

test('SIGUSR1 has its handler before the program loads, which takes a quarter of a second', () => {
  const path = join(root, 'src/cli/main.ts')
  const text = readFileSync(path, 'utf8')
  expect(text).toMatch(
    /\nprocess\.on\('SIGUSR1', .*\n(\n|\/\/.*\n)*await import\('\.\/program\.ts'\)/,
  )
  expect(readSource(path, text).imports.filter(({ kind }) => kind === 'import')).toEqual([])
})

test('the table lists every file in commands/', () => {
  const table = readFileSync(join(root, 'src/cli/commands.ts'), 'utf8')
  const folder = join(root, 'src/cli/commands')
  const is_command = (name: string) =>
    /^export const (command|create)\b/m.test(readFileSync(join(folder, name), 'utf8'))
  const names = readdirSync(folder).filter(is_command)
  expect(names).toContain('config.ts')
  for (const name of names) expect(table).toContain(`'./commands/${name}'`)
})
