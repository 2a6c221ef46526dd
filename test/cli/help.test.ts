import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { complete } from '../../src/cli/ask/complete.ts'
import { examplesOf } from '../../src/cli/ask/examples.ts'
import { type ListedCommand, nameOf } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands.ts'
import { runCli } from '../../src/cli/run-cli.ts'
import { capturedTerminal } from './captured-terminal.ts'

interface Known {
  path: string[]
  node: ListedCommand
}

function every(listed: readonly ListedCommand[], above: string[] = []): Known[] {
  return listed.flatMap((node) => {
    const path = [...above, nameOf(node.usage)]
    return [{ path, node }, ...every(node.subcommands ?? [], path)]
  })
}

test.each(every(commands).map(({ path }) => [path.join(' ')]))(
  'the examples of %s are valid command lines',
  async (path) => {
    const examples = examplesOf(path.split(' '))
    expect(examples.length).toBeGreaterThan(0)
    for (const [line, why] of examples) {
      expect(why).not.toBe('')
      const words = line.slice(line.indexOf('$0') + 3).split(/[\s\\]+/)
      const named = every(commands).findLast(
        (known) => known.path.join(' ') === words.slice(0, known.path.length).join(' '),
      )
      expect(named, line).toBeDefined()
      const options = await complete([...named!.path, '--'], commands)
      const used = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0])
      expect(options, line).toEqual(expect.arrayContaining(used))
    }
  },
)

test('the help has the commands in the groups of the README', async () => {
  const { terminal, out } = capturedTerminal()
  await runCli(['--help'], terminal, commands)
  const shown: string[][] = []
  for (const line of out().split('\n')) {
    const name = /^ {2}sluice (\S+)/.exec(line)?.[1]
    // A heading begins a group.
    if (/^[A-Z][a-z ]+$/.test(line)) shown.push([])
    else if (name !== undefined) shown.at(-1)!.push(name)
  }
  const table = readFileSync('README.md', 'utf8')
    .split('## Commands\n')[1]!
    .trim()
    .split('\n\n')[0]!
  const rows = table.split('\n').slice(2)
  const listed = rows.map((row) =>
    [...row.split('|')[1]!.matchAll(/`([a-z]+)/g)].map(([, name]) => name!),
  )
  expect(shown).toEqual(listed)
})
