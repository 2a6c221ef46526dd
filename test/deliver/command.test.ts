import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { deliver } from '../../src/deliver/deliver.ts'
import { FakeClock } from '../rig/fake-clock.ts'
import { makeTree } from '../rig/tree.ts'
import { until } from '../service/fixture.ts'
import { faultOf, message, tools } from './delivery-tools.ts'

const target = (run: string[], timeout_ms = 10_000) =>
  ({ kind: 'command', name: 'command', run, timeout_ms }) as const
const script = (text: string, ...more: string[]) => target(['/bin/sh', '-c', text, 'sh', ...more])

test('values become single arguments, the report is standard input, and the environment holds nothing else', async () => {
  const out = join(makeTree(), 'out')
  const values = { name: 'a "b"; touch /tmp/x $(id) `id`', report: '-n' }
  process.env.SLUICE_TOKEN = 'pat_secret'
  const run = script('printf "%s|" "$@" > "$0.args"; cat > "$0.in"; env > "$0.env"').run
  const outcome = await deliver(
    target([...run.slice(0, 3), out, '{{name}}', 'x {{report}}', '']),
    message({ values }),
    tools(),
  )
  delete process.env.SLUICE_TOKEN
  expect(outcome).toEqual({ ok: true })
  expect(readFileSync(`${out}.args`, 'utf8')).toBe(`${values.name}|x -n||`)
  expect(readFileSync(`${out}.in`, 'utf8')).toBe(message().text)
  const names = readFileSync(`${out}.env`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0])
  const of_shell = ['PWD', 'OLDPWD', 'SHLVL', '_']
  expect(names.filter((name) => !of_shell.includes(name ?? '')).sort()).toEqual([
    'HOME',
    'LANG',
    'PATH',
    'SLUICE_AT',
    'SLUICE_ID',
    'SLUICE_NAME',
    'SLUICE_REPORT',
    'SLUICE_SUBJECT',
  ])
})

test('a command that fails is tried again; the error ends with the last line it wrote', async () => {
  const fault = faultOf(
    await deliver(
      script('seq 1 200000; printf "no space\\033[2J left\\n" >&2; exit 3'),
      message(),
      tools(),
    ),
  )
  expect(fault).toMatchObject({ is_final: false, error: { code: 'delivery.command' } })
  expect(fault.error.message).toBe('/bin/sh ended with code 3: no space\\x1b[2J left')
})

test('a command that does not read a large report can succeed', async () => {
  const text = 'x'.repeat(1_000_000)
  expect(await deliver(script('exit 0'), message({ text }), tools())).toEqual({ ok: true })
})

test.each([['/no/such/program'], ['/etc/passwd'], ['/etc']])(
  'a command that cannot be started now (%s) is tried again: a user may repair it',
  async (program) => {
    const fault = faultOf(await deliver(target([program]), message(), tools()))
    expect(fault).toMatchObject({ is_final: false, error: { code: 'delivery.command' } })
    expect(fault.error.message).toMatch(/: (no such file or directory|permission denied)/)
  },
)

test.each([
  ['a\0b', 'an argument has a zero byte'],
  ['x'.repeat(200_000), 'argument list too long'],
])('an argument that no program accepts is a final fault', async (name, why) => {
  const fault = faultOf(
    await deliver(target(['/bin/true', '{{name}}']), message({ values: { name } }), tools()),
  )
  expect(fault).toMatchObject({
    is_final: true,
    error: {
      code: 'delivery.command',
      message: `cannot start /bin/true: ${why}; check its arguments`,
    },
  })
})

test('at the time limit the whole group is ended; the error has the last line of output', async () => {
  const pids = join(makeTree(), 'pids')
  const text = 'sleep 600 & echo $! $$ > "$1.part"; mv "$1.part" "$1"; echo working; wait'
  const run = ['/bin/sh', '-c', text, 'sh', pids]
  const fault = faultOf(await deliver(target(run, 300), message(), tools()))
  expect(fault).toMatchObject({ is_final: false, error: { code: 'delivery.command_time' } })
  expect(fault.error.message).toContain('stopped after 0.3 s: working')
  for (const pid of readFileSync(pids, 'utf8').trim().split(' '))
    await until(() => !isRunning(Number(pid)))
})

test('kills a process that ignores SIGTERM, even if its group leader has ended', async () => {
  const clock = new FakeClock()
  const pids = join(makeTree(), 'pids')
  const deaf = 'trap "" TERM; echo $$ > "$1.part"; mv "$1.part" "$1"; while :; do sleep 0.05; done'
  const run = ['/bin/sh', '-c', `(/bin/sh -c '${deaf}' sh "$1") & wait`, 'sh', pids]
  const outcome = deliver(target(run), message(), tools({ clock }))
  await until(() => readable(pids))
  let done = false
  void outcome.then(() => {
    done = true
  })
  await clock.runUntil(() => done)
  expect(faultOf(await outcome).error.code).toBe('delivery.command_time')
  await until(() => !isRunning(Number(readFileSync(pids, 'utf8'))))
})

test('a stop of the daemon ends the command, which counts as not delivered', async () => {
  const started = join(makeTree(), 'started')
  const stop = new AbortController()
  const run = ['/bin/sh', '-c', 'touch "$1"; sleep 600', 'sh', started]
  const outcome = deliver(target(run), message(), tools({ signal: stop.signal }))
  await until(() => readable(started))
  stop.abort()
  expect(faultOf(await outcome)).toMatchObject({
    is_final: false,
    error: { code: 'delivery.stopped' },
  })
})

function readable(path: string): boolean {
  try {
    readFileSync(path)
    return true
  } catch {
    return false
  }
}

/** True if a process runs; a zombie has ended, even if its parent has not read its status yet. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
