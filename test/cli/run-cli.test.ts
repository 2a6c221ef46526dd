import { expect, test } from 'vitest'
import { SluiceError } from '../../src/base/run/errors.ts'
import type { AnyCommand, Command, ListedCommand } from '../../src/cli/command.ts'
import { commands as real_commands } from '../../src/cli/commands.ts'
import { exit_codes, exitCodeOf } from '../../src/cli/exit-codes.ts'
import { runCli } from '../../src/cli/run-cli.ts'
import { createTerminal } from '../../src/cli/text/terminal.ts'

const token = `pat_${'0123456789abcdef'.repeat(2)}`
let loaded: string[]

/** Commands that report their arguments, or fail. */
function listed(
  name: string,
  usage: string,
  run: AnyCommand['run'],
  options = (y: never): unknown => y,
): ListedCommand {
  return {
    usage,
    describe: `describes ${name}`,
    load: async () => {
      loaded.push(name)
      return { options, run } as AnyCommand
    },
  }
}

const show = (options: Record<string, unknown>, terminal: { out(text: string): void }) => {
  const { $0: _name, _: _words, ...rest } = options
  terminal.out(JSON.stringify(rest))
}

const planted: ListedCommand[] = [
  listed(
    'status',
    'status',
    async (options, terminal) => {
      show(options, terminal)
      return exit_codes.incomplete
    },
    (yargs) =>
      (yargs as import('yargs').Argv)
        .option('json', { type: 'boolean' })
        .option('port', { type: 'number' }),
  ),
  {
    usage: 'ask <words..>',
    describe: 'describes ask',
    load: async () =>
      ({
        options: (yargs) => yargs.option('in', { type: 'string', array: true, requiresArg: true }),
        run: async (options, terminal) => {
          show({ ...options }, terminal)
          return exit_codes.ok
        },
      }) satisfies Command as AnyCommand,
  },
  listed('sync', 'sync', async () => exit_codes.ok),
  listed('explain', 'explain <path>', async (options, terminal) => {
    show(options, terminal)
    return exit_codes.ok
  }),
  listed('fail', 'fail [how]', async ({ how }: { how?: string }) => {
    if (how === 'ours') throw new TypeError(`cannot read ${token}`)
    throw new SluiceError({
      code: how ?? '',
      message: `first line\nsecond\u001b[2J https://h/x?sig=SECRET`,
      hint: 'do this',
    })
  }),
  {
    usage: 'token',
    describe: 'about tokens',
    subcommands: [
      listed('create', 'create <name>', async (options, terminal) => {
        show(options, terminal)
        return exit_codes.ok
      }),
    ],
  },
]

async function run(...words: string[]) {
  loaded = []
  let [out, err] = ['', '']
  const terminal = createTerminal({
    stdout: {
      write: (text) => {
        out += text
      },
    },
    stderr: {
      write: (text) => {
        err += text
      },
    },
    no_color: false,
  })
  const code = await runCli(words, terminal, planted)
  return { code, out, err }
}

test('a command gets its options, and its answer is the exit code', async () => {
  expect(await run('status', '--json', '--port', '80', '--config', 'x.yaml')).toEqual({
    code: 3,
    out: '{"json":true,"port":80,"config":"x.yaml"}\n',
    err: '',
  })
})

test('loads only the command that is called, and none for the help', async () => {
  await run('status')
  expect(new Set(loaded)).toEqual(new Set(['status']))
  const { code, out } = await run('--help')
  expect(loaded).toEqual([])
  expect(code).toBe(0)
  expect(out).toMatch(/sluice explain <path> +describes explain/)
})

test('help shows the help of a command, as --help does', async () => {
  for (const words of [[], ['explain'], ['token'], ['token', 'create']]) {
    const help = await run('help', ...words)
    expect(help).toEqual({
      code: 0,
      out: expect.stringContaining(['sluice', ...words].join(' ')),
      err: '',
    })
    expect(help).toEqual(await run(...words, '--help'))
  }
})

test('sync --dry-run is a fault of the command line, which names plan', async () => {
  expect(await run('sync', '--dry-run')).toEqual({
    code: 64,
    out: '',
    err: 'sluice: sluice sync has no --dry-run\n  `sluice plan` shows what would be uploaded\n',
  })
})

test('a repeatable option takes one word each time', async () => {
  const { out } = await run('ask', '--in', 'a', 'what', 'now?', '--in', 'b')
  expect(JSON.parse(out)).toEqual({ in: ['a', 'b'], words: ['what', 'now?'] })
  expect(JSON.parse((await run('ask', 'what?', '--in', 'a')).out)).toEqual({
    in: ['a'],
    words: ['what?'],
  })
  expect(await run('status', '--port', '1', '--port', '2')).toMatchObject({
    code: 64,
    err: expect.stringContaining('--port is given more than once'),
  })
})

test('each command has its own help', async () => {
  const { code, out } = await run('status', '--help')
  expect([code, out]).toEqual([0, expect.stringMatching(/--json[\s\S]*--port|--port[\s\S]*--json/)])
})

test('subcommands have their own options and help', async () => {
  expect(await run('token', 'create', 'ada')).toMatchObject({ code: 0, out: '{"name":"ada"}\n' })
  expect(await run('token')).toMatchObject({
    code: 64,
    out: '',
    err: expect.stringMatching(/^sluice: sluice token needs a command: create\n/),
  })
})

test.each([
  ['007', '007'],
  ['--', '-x', './-x'],
  ['--', '--config', './--config'],
  ['a b\n"c"', 'a b\n"c"'],
])('takes a path unchanged: %j', async (...words) => {
  const { out } = await run('explain', ...words.slice(0, -1))
  expect(JSON.parse(out)).toEqual({ path: words.at(-1) })
})

test.each([
  [[], /^sluice <command> \[options\]/],
  [['stauts'], /stauts is no command of sluice\n {2}did you mean status\?/],
  [['status', 'status'], /Unknown argument: status/],
  [['frob'], /frob is no command of sluice\n {2}sluice --help shows the commands/],
  [['token', 'craete'], /craete is no command of sluice token\n {2}did you mean create\?/],
  [['help', 'stauts'], /stauts is no command of sluice\n {2}did you mean status\?/],
  [['help', 'token', 'craete'], /craete is no command of sluice token\n {2}did you mean create\?/],
  [['token', 'frob'], /frob is no command of sluice token\n {2}sluice token --help/],
  [['status', '--jsno'], /Unknown argument: jsno\n {2}did you mean --json\?/],
  [['status', '--confg', 'x'], /did you mean --config\?/],
  [['status', 'extra'], /Unknown argument: extra\n {2}sluice status --help/],
  [
    ['explain'],
    /sluice explain needs more arguments\n {2}write sluice explain <path>; sluice explain --help shows/,
  ],
  [['explain', 'a.gz', 'b.gz'], /sluice explain takes one path\n {2}put a pattern in quotes/],
  [['status', '--config'], /--config needs a value\n {2}sluice status --help/],
])('%j is a fault of the command line', async (words, err) => {
  expect(await run(...words)).toEqual({ code: 64, out: '', err: expect.stringMatching(err) })
})

test('an error shows what happened and what to do, on standard error, without secrets and control characters', async () => {
  expect(await run('fail', 'config.invalid')).toEqual({
    code: 78,
    out: '',
    err: 'sluice: first line\nsluice: second\\x1b[2J https://h/x?***\n  do this\n',
  })
})

test('an internal error shows its stack', async () => {
  const { code, err } = await run('fail', 'ours')
  expect(code).toBe(1)
  expect(err).toMatch(/^sluice: cannot read pat_\*\*\*\n +at .*run-cli\.test[\s\S]*please report/)
})

test.each([
  ['account.token_missing', 77],
  ['project.unreachable', 77],
  ['config.missing', 78],
  ['usage.invalid', 64],
  ['database.full', 1],
  ['', 1],
])('%s ends with %d', async (code, exit_code) => {
  expect((await run('fail', code)).code).toBe(exit_code)
  expect(exitCodeOf(new SluiceError({ code, message: '' }))).toBe(exit_code)
})

test('every real command can be loaded and has a summary', async () => {
  for (const { usage, describe, load } of real_commands) {
    expect(describe, usage).not.toBe('')
    if (load)
      expect(await load(), usage).toMatchObject({
        options: expect.any(Function),
        run: expect.any(Function),
      })
  }
})
