import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import tmp from 'tmp'
import { beforeEach, expect, test } from 'vitest'
import { toPlainError } from '../../src/base/run/errors.ts'
import { openSecrets, secretsOf } from '../../src/config/secrets.ts'

tmp.setGracefulCleanup()
const tokenOf = (letter: string) => `pat_${letter.repeat(32)}`
let folder: string

beforeEach(() => {
  folder = tmp.dirSync({ unsafeCleanup: true }).name
})

function write(name: string, text: string | Buffer, mode = 0o600): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  chmodSync(file, mode)
  return file
}

function open(env: NodeJS.ProcessEnv, token_file?: string) {
  const service = {
    base_url: 'https://x',
    project_id: 'p',
    ...(token_file === undefined ? {} : { token_file }),
  }
  return openSecrets({ service }, env)
}

test('uses the first source that is set, and names it', () => {
  mkdirSync(join(folder, 'credentials'))
  const env: NodeJS.ProcessEnv = {
    SLUICE_TOKEN_FILE: write('a', `${tokenOf('a')}\n`),
    CREDENTIALS_DIRECTORY: join(folder, 'credentials'),
    SLUICE_TOKEN: tokenOf('d'),
  }
  write('credentials/token', tokenOf('b'), 0o644)
  const token_file = write('c', ` ${tokenOf('c')} \r\n`)
  const found = () => {
    const { secrets, warnings } = open(env, token_file)
    expect(warnings).toEqual([])
    return [secrets.token().at(-1), secrets.source]
  }
  expect(found()).toEqual(['a', `file ${folder}/a (SLUICE_TOKEN_FILE)`])
  delete env.SLUICE_TOKEN_FILE
  expect(found()).toEqual(['b', 'systemd credential token'])
  rmSync(join(folder, 'credentials', 'token'))
  expect(found()).toEqual(['c', `file ${folder}/c (service.token_file)`])
  expect(open(env).secrets.source).toBe('environment SLUICE_TOKEN')
})

test.each([0o640, 0o604, 0o660])(
  'a token file with mode %o gives a warning that says what to do',
  (mode) => {
    const file = write('token', tokenOf('a'), mode)
    expect(open({}, file).warnings).toEqual([
      `the token file ${file} is open to group or others: chmod 600 ${file}`,
    ])
  },
)

test('reload says whether the token has changed, and keeps the old one on a fault', async () => {
  const file = write('token', tokenOf('a'))
  const { secrets } = open({}, file)
  expect(await secrets.reload()).toBe(false)
  write('token', `${tokenOf('b')}\n`)
  expect(await secrets.reload()).toBe(true)
  expect(secrets.token()).toBe(tokenOf('b'))
  rmSync(file)
  await expect(secrets.reload()).rejects.toThrow(
    /cannot read the token file .*no such file or directory/,
  )
  expect(secrets.token()).toBe(tokenOf('b'))
})

test('without any source the error says that there is no token', () => {
  expect(errorOf(() => open({ SLUICE_TOKEN: '' }))).toMatchObject({
    code: 'account.token_missing',
    hint: expect.stringContaining('SLUICE_TOKEN_FILE'),
  })
})

test('a named source that cannot be read is an error, and no other source is tried', () => {
  const env = { SLUICE_TOKEN_FILE: join(folder, 'missing'), SLUICE_TOKEN: tokenOf('d') }
  expect(errorOf(() => open(env))).toMatchObject({ code: 'account.token_unreadable' })
  expect(errorOf(() => open({}, folder))).toMatchObject({ code: 'account.token_unreadable' })
})

test.each([tokenOf('d'), `${tokenOf('d')}x`, 'pat_dddd'])(
  'a token in place of the path of its file is never shown: %s',
  (token) => {
    const error = errorOf(() => open({ SLUICE_TOKEN_FILE: token }))
    expect(error).toMatchObject({
      code: 'account.token_unreadable',
      message: 'SLUICE_TOKEN_FILE holds a token, where the path of its file is wanted',
      hint: expect.stringContaining('put the token into a file (chmod 600)'),
    })
    expect(JSON.stringify(error)).not.toContain('dddd')
    const named = write('pat_named', tokenOf('n'))
    expect(open({ SLUICE_TOKEN_FILE: named }).secrets.token()).toBe(tokenOf('n'))
  },
)

test('a pipe in place of the token file does not block', () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  expect(errorOf(() => open({}, pipe))).toMatchObject({ code: 'account.token_unreadable' })
})

test.each([
  '',
  'hunter2-the-password',
  `pat_${'a'.repeat(31)}`,
  `pat_${'a'.repeat(33)}`,
  `pat_${'ä'.repeat(32)}`,
])('a text that is no token is refused and never shown: %j', (text) => {
  for (const action of [
    () => open({}, write('token', text)),
    () => open({ SLUICE_TOKEN: text || 'x' }),
  ]) {
    const error = errorOf(action)
    expect(error.code).toBe('account.token_malformed')
    expect(JSON.stringify(error)).not.toMatch(/hunter2|aaaa|ää/)
  }
})

const wide = Buffer.from(`\ufeff${tokenOf('s')}\r\n`, 'utf16le')
test.each([
  ['quotes', `"${tokenOf('s')}"\n`, 'line 1 begins with a quote: take the quotes away'],
  ['typographic quotes', `“${tokenOf('s')}”`, 'line 1 begins with a quote: take the quotes away'],
  ['marks of inches', `″${tokenOf('s')}″`, 'line 1 begins with a quote: take the quotes away'],
  ['other brackets', `「${tokenOf('s')}」`, 'line 1 begins with a quote: take the quotes away'],
  ['an accent at the end', `${tokenOf('s')}´`, 'line 1 ends with a quote: take the quotes away'],
  ['a quote at the end', `${tokenOf('s')}"`, 'line 1 ends with a quote: take the quotes away'],
  ['Bearer', `\nBearer ${tokenOf('s')}\n`, 'line 2 begins with a word such as "Bearer"'],
  ['a header', `Authorization: Bearer ${tokenOf('s')}`, 'line 1 holds a header: leave the token'],
  ['a variable', `SLUICE_TOKEN=${tokenOf('s')}`, 'line 1 holds a variable or field: take its name'],
  ['an export', `export TOKEN="${tokenOf('s')}"`, 'line 1 holds a variable or field'],
  ['YAML', `token: ${tokenOf('s')}`, 'line 1 holds a variable or field'],
  ['JSON', `{\n  "token": "${tokenOf('s')}"\n}`, 'line 1 holds JSON: leave the token alone in it'],
  ['a comment', `${tokenOf('s')} # mine`, 'line 1 holds a space or another character'],
  ['a comma', `${tokenOf('s')},`, 'line 1 ends with a mark that no token has: take it away'],
  ['capitals', tokenOf('s').toUpperCase(), 'line 1 begins with capital letters: a token begins'],
  ['a dash', `- ${tokenOf('s')}`, 'line 1 begins with a dash: take it away'],
  ['words', `my token ${tokenOf('s')}`, 'line 1 holds words before the token: take them away'],
  ['a project', 'project_0123456789abcdefghij', 'line 1 holds the id of a project: a token begins'],
  ['two tokens', `${tokenOf('s')}\n${tokenOf('s')}\n`, 'it holds several lines, from line 1 on'],
  ['a comment above', `# mine\r\n${tokenOf('s')}\r\n`, 'it holds several lines, from line 1 on'],
  ['UTF-16', wide, 'the file is saved as UTF-16 ("Unicode"): save it as UTF-8'],
  [
    'UTF-32',
    Buffer.from(Uint32Array.from([...tokenOf('s')], (one) => one.charCodeAt(0)).buffer),
    'the file is saved as UTF-32',
  ],
  ['UTF-16, big end first', Buffer.from(wide).swap16(), 'the file is saved as UTF-16'],
  ['Latin-1', Buffer.from(`pat_${'ä'.repeat(32)}`, 'latin1'), 'the file is saved as Latin-1'],
  ['a key', '-----BEGIN PRIVATE KEY-----\nssss\n', 'line 1 holds a key or certificate'],
])('a token file with %s: the fault says what stands there', (_, content, fault) => {
  const file = write('token', content)
  const error = errorOf(() => open({}, file))
  expect(error.message).toContain(`token file ${file} holds no valid token: ${fault}`)
  expect(error).toMatchObject({ code: 'account.token_malformed' })
  expect(JSON.stringify(error)).not.toContain('ssss')
})

test.each(['\ufeffTOKEN\n', 'TOKEN\r\n', '\n\n TOKEN \n\n', 'TOKEN\u00a0'])(
  'what editors leave around a token does no harm: %j',
  (text) => {
    const file = write('token', text.replace('TOKEN', tokenOf('s')))
    expect(open({}, file).secrets.token()).toBe(tokenOf('s'))
  },
)

test('no error shows the token, not even an almost valid one', () => {
  const file = write('token', `${tokenOf('s')} and more`)
  expect(JSON.stringify(errorOf(() => open({}, file)))).not.toContain('ssss')
})

test('a token of any printable characters is taken from a file and a variable', () => {
  const token = `pat_-._~:/?#[]@!$&'()*+,;=%"<>^{|}a9`
  expect(token).toHaveLength(36)
  expect(open({}, write('token', `${token}\n`)).secrets.token()).toBe(token)
  expect(open({ SLUICE_TOKEN: token }).secrets.token()).toBe(token)
  const spaced = errorOf(() => secretsOf(`pat_${'a b'.repeat(11).slice(0, 32)}`))
  expect(spaced).toMatchObject({
    code: 'account.token_malformed',
    hint: expect.stringContaining('without spaces'),
  })
})

test('secretsOf wraps a token that a caller passes in', async () => {
  const secrets = secretsOf(tokenOf('z'))
  expect([secrets.token(), await secrets.reload()]).toEqual([tokenOf('z'), false])
  expect(() => secretsOf('nonsense')).toThrow(
    /holds no valid token: expected 36 characters, "pat_" and 32 more, got 8$/,
  )
  expect(() => secretsOf(`pat_${'z'.repeat(29)}`)).toThrow(
    /expected 36 characters, "pat_" and 32 more, got 33$/,
  )
})

function errorOf(action: () => unknown) {
  try {
    action()
  } catch (error) {
    return toPlainError(error)
  }
  throw new Error('it did not fail')
}
