import { isSluiceError, messageOf } from '../base/errors.ts'
import { printable } from '../base/format.ts'
import { scrubText } from '../base/scrub.ts'
import { wrapped } from './say-whole.ts'
import type { Terminal } from './terminal.ts'

const head = 'sluice: '

/** What happened, and what to do. Of a fault of ours the stack too: it is for whoever mends it. */
export function showError(error: unknown, terminal: Terminal): void {
  const { red, dim } = terminal.err_styles
  const room = terminal.width - head.length
  for (const line of plainLines(messageOf(error))) {
    const [first, ...more] = wrapped(line, room)
    terminal.err(`${red('sluice:')} ${first}`)
    for (const part of more) terminal.err(`  ${part}`)
  }
  if (isSluiceError(error)) {
    const hints = plainLines(error.hint ?? '').flatMap((line) => wrapped(line, terminal.width - 2))
    for (const line of hints) if (line !== '') terminal.err(`  ${line}`)
    return
  }
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  for (const line of plainLines(stack).filter((line) => /^\s+at /.test(line))) terminal.err(dim(line))
  terminal.err('  this is a fault of Sluice itself: please report it with the lines above')
}

function plainLines(text: string): string[] {
  return scrubText(text).split('\n').map(printable)
}
