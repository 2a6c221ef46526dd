import { readdirSync } from 'node:fs'
import { expect, onTestFinished } from 'vitest'
import { keys, PseudoTerminal } from '../pseudo-terminal.ts'
import type { Home } from '../sluice.ts'

export function wizard(home: Home, words: string[] = []): PseudoTerminal {
  const terminal = new PseudoTerminal(['init', '--config', 'made/sluice.yaml', ...words], {
    cwd: home.path,
    columns: 400,
  })
  onTestFinished(() => terminal.close())
  return terminal
}

/** Each question with the answer that leads to the next one. */
export function questions(home: Home): [question: string, answer: string][] {
  return [
    ['Address of the assistant', `${home.service.api}${keys.enter}`],
    ['The token:', keys.enter],
    ['Token:', `${home.service.tokens.create('typed').token}${keys.enter}`],
    ['Project that the files go to:', keys.enter],
    ['Folder to watch:', `docs${keys.enter}`],
    ['Its name', keys.enter],
    ['How much of it is uploaded?', keys.enter],
    ['Another folder?', keys.enter],
    ['What should the old version', keys.enter],
    ['on a page', keys.enter],
    ['on a schedule', keys.enter],
    ['Name of the report:', keys.enter],
    ['Question that it answers:', keys.enter],
    ['When:', keys.enter],
    ['Write this to', `n${keys.enter}`],
  ]
}

/** Presses Ctrl-C at the question of this number, and expects that nothing was written. */
export async function stopAt(
  home: Home,
  all: [question: string, answer: string][],
  at: number,
): Promise<void> {
  const [last] = all[at]!
  const terminal = wizard(home)
  for (const [question, answer] of all.slice(0, at)) await terminal.on(question, answer)
  await terminal.on(last, keys.ctrl_c)
  await terminal.sees('stopped: nothing was written')
  expect(await terminal.ended, last).toBe(130)
  expect(terminal.shown(), last).not.toMatch(/^\s+at |fault of Sluice/m)
  expect(readdirSync(home.path), last).not.toContain('made')
}

/** Wants no page and no prompt. */
export async function nothingMore(terminal: PseudoTerminal): Promise<void> {
  await terminal.on('on a page', `n${keys.enter}`)
  await terminal.on('on a schedule', `n${keys.enter}`)
}
