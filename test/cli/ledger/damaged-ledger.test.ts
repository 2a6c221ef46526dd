import { closeSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Home } from '../sluice.ts'

/** Every command that reads the ledger. */
const commands = [
  ['status'],
  ['ls'],
  ['explain', 'docs/a.txt'],
  ['retry'],
  ['accept', 'docs'],
  ['prompts', 'list'],
  ['prompts', 'history', 'digest'],
  ['prompts', 'run', 'digest', '--dry-run'],
  ['backup', 'copy.db'],
]

async function homeWithLedger(): Promise<{ home: Home; ledger: string }> {
  const home = await Home.make({ 'a.txt': 'one' })
  home.configure({
    prompts: [
      {
        name: 'digest',
        cron: '0 0 1 1 *',
        timezone: 'UTC',
        prompt: 'What is new?',
        scope: { folders: ['docs'] },
      },
    ],
  })
  expect((await home.inProcess('sync')).code).toBe(0)
  const ledger = join(home.path, 'state/ledger.db')
  for (const part of ['-wal', '-shm']) rmSync(ledger + part, { force: true })
  return { home, ledger }
}

test('every command reports a damaged ledger and names the command that repairs it', async () => {
  const { home, ledger } = await homeWithLedger()
  const { size } = statSync(ledger)
  const descriptor = openSync(ledger, 'r+')
  writeSync(descriptor, Buffer.alloc(size - 8_192, 0xa5), 0, size - 8_192, 8_192)
  closeSync(descriptor)
  for (const words of commands) {
    const { code, err } = await home.inProcess(...words)
    expect([words.join(' '), code, err]).toEqual([
      words.join(' '),
      1,
      expect.stringContaining('`sluice rebuild`'),
    ])
    expect(err).toContain(`${ledger}: `)
    expect(err).not.toContain('a fault of Sluice itself')
  }
}, 60_000)

test('a ledger without tables, left by a first start on a full disk, counts as no ledger', async () => {
  const { home, ledger } = await homeWithLedger()
  writeFileSync(ledger, '')
  for (const words of commands) {
    const { code, err } = await home.inProcess(...words)
    expect([words.join(' '), err]).toEqual([
      words.join(' '),
      expect.not.stringMatching(/no such table|fault of Sluice/),
    ])
    expect([words.join(' '), code]).not.toEqual([words.join(' '), 64])
  }
}, 60_000)
