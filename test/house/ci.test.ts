import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import tmp from 'tmp'
import { expect, test } from 'vitest'
import { makeTree } from '../rig/tree.ts'

tmp.setGracefulCleanup()
const ci = fileURLToPath(new URL('../../.ci', import.meta.url))
const script = join(ci, 'sum-results.mjs')

const passed = { status: 'passed' }
const failed = { status: 'failed' }
const file = {
  name: '/home/me/sluice/test/base/a.test.ts',
  status: 'passed',
  startTime: 2_000,
  endTime: 9_000,
}
const green = {
  startTime: 1_000,
  numPassedTests: 3,
  numFailedTests: 0,
  testResults: [{ ...file, assertionResults: [passed] }],
}
const red = {
  ...green,
  numPassedTests: 2,
  numFailedTests: 1,
  testResults: [{ ...file, status: 'failed', assertionResults: [passed, failed] }],
}
const broken_file = {
  ...green,
  numPassedTests: 1,
  testResults: [{ ...file, status: 'failed', assertionResults: [passed] }],
}

test.each([
  ['all green', 0, [green, green], '6 passed, 0 failed'],
  ['a failed test', 1, [green, red], '5 passed, 1 failed'],
  ['a file that fails beside its tests', 1, [green, broken_file], '4 passed, 1 failed'],
  ['a step that fails after green tests', 1, [green], '3 passed, 1 failed'],
  ['a step that fails before any test', 2, [], '0 passed, 1 failed'],
])('counts for %s', (_what, status, results, line) => {
  const folder = tmp.dirSync({ unsafeCleanup: true }).name
  for (const [at, result] of results.entries())
    writeFileSync(join(folder, `${at}.json`), JSON.stringify(result))
  const times = results
    .map((_, at) => `${at}: 8 s, 1 files, the slowest:\n    7 s  test/base/a.test.ts\n`)
    .join('')
  const printed = execFileSync(process.execPath, [script, String(status), folder], {
    encoding: 'utf8',
  })
  expect(printed).toBe(`${times}${line}\n`)
})

/**
 * Stand-ins for the system's programs that `.ci/run` calls: they install nothing, make no user, and
 * report three passed tests in each run.
 */
const programs = {
  id: `case "$*" in
    -u) echo "$UID_HERE" ;;
    -un) echo me ;;
    '-u sluice-ci') test -e "$PLACE/made" ;;
    '-g sluice-ci') echo 1 ;;
  esac`,
  useradd: 'touch "$PLACE/made"; echo "useradd $*" >> "$PLACE/log"',
  getent: 'echo "sluice-ci:x:1:1::$PLACE/home:/bin/sh"',
  setpriv: 'while case $1 in --*) ;; *) false ;; esac; do shift; done; exec "$@"',
  chown: ':',
  'apt-get': ':',
  npm: `case $1 in
    config) [ "$3" != nodedir ] || echo /headers ;;
    --version) [ -z "$CLOSED" ] ;;
    *)
      case $PWD in "$PLACE"/home/*) place=copy ;; *) place=project ;; esac
      echo "$USER $place $1 $2 $npm_config_nodedir" >> "$PLACE/log"
      [ "$1" != ci ] || { mkdir -p node_modules && touch node_modules/installed; }
      for word; do case $word in --outputFile.json=*) echo "$RESULT" > "$(echo "$word" | cut -d= -f2)" ;; esac; done
      [ "$2" != "$RED" ] ;;
  esac`,
}

function runCi(env: { UID_HERE: string; CLOSED?: string; RED?: string }, times = 1) {
  const place = makeTree({ 'home/': '', 'project/src/a.ts': '', 'project/node_modules/b.js': '' })
  cpSync(ci, join(place, 'project/.ci'), { recursive: true })
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(join(place, name), `#!/bin/sh\n${body}\n`)
    chmodSync(join(place, name), 0o755)
  }
  const all = {
    ...process.env,
    npm_config_nodedir: '',
    USER: 'root',
    ...env,
    PLACE: place,
    PATH: `${place}:${process.env.PATH}`,
    RESULT: JSON.stringify(green),
  }
  const run = () => spawnSync(join(place, 'project/.ci/run'), { encoding: 'utf8', env: all })
  const ended = Array.from({ length: times }, run).at(-1)!
  expect(readdirSync(join(place, 'home')), 'the copy is removed').toEqual([])
  const log = existsSync(join(place, 'log')) ? readFileSync(join(place, 'log'), 'utf8') : ''
  const last_line = ended.stdout.trimEnd().split('\n').at(-1)
  return {
    is_installed: existsSync(join(place, 'project/node_modules/installed')),
    ran: log
      .trimEnd()
      .split('\n')
      .map((line) => line.trimEnd()),
    last_line,
    err: ended.stderr,
    code: ended.status,
  }
}

const as_user = ['sluice-ci copy ci --include=dev /headers', 'sluice-ci copy run test /headers']
const as_root = ['run test:root', 'run test:long', 'run test:azure', 'run test:client'].map(
  (words) => `root project ${words}`,
)

test('as root it makes one user, who runs npm test in a copy; tests that need root run afterwards', () => {
  const first = runCi({ UID_HERE: '0' })
  expect(first, first.err).toMatchObject({
    code: 0,
    last_line: '15 passed, 0 failed',
    is_installed: true,
  })
  expect(first.ran).toEqual(['useradd --create-home sluice-ci', ...as_user, ...as_root])
  expect(runCi({ UID_HERE: '0' }, 2).ran).toEqual([...first.ran, ...as_user, ...as_root])
})

test('it ends after a red npm test of the user', () => {
  const { ran, last_line, code } = runCi({ UID_HERE: '0', RED: 'test' })
  expect(ran.slice(1)).toEqual(as_user)
  expect([code, last_line]).toEqual([1, '3 passed, 1 failed'])
})

test('it runs everything as the caller and says so, without root or when the user cannot reach Node', () => {
  const scripts = [
    'run test',
    'run test:root',
    'run test:long',
    'run test:azure',
    'run test:client',
  ]
  const all = ['ci --include=dev', ...scripts].map((words) => `root project ${words}`)
  const of_ordinary = all.filter((words) => !words.endsWith('test:root'))
  const ordinary = runCi({ UID_HERE: '1000' })
  expect(ordinary, ordinary.err).toMatchObject({
    code: 0,
    ran: of_ordinary,
    last_line: '12 passed, 0 failed',
  })
  expect(ordinary.err).toContain('this is not root: all runs as me')
  const closed = runCi({ UID_HERE: '0', CLOSED: 'yes' })
  expect(closed.ran.slice(1)).toEqual(all)
  expect(closed.err).toMatch(/sluice-ci cannot run \S+npm: all runs as root/)
})
