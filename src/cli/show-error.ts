import { isSluiceError, messageOf } from '../base/errors.ts'
import { printable } from '../base/format.ts'
import { scrubText } from '../base/scrub.ts'
import type { Terminal } from './terminal.ts'

/** What happened, and what to do. Of a fault of ours the stack too: it is for whoever mends it. */
export function showError(error: unknown, terminal: Terminal): void {
  const { red, dim } = terminal.err_styles
  for (const line of plainLines(messageOf(error))) terminal.err(`${red('sluice:')} ${line}`)
  if (isSluiceError(error)) {
    if (error.hint !== undefined) for (const line of plainLines(error.hint)) terminal.err(`  ${line}`)
    return
  }
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  for (const line of plainLines(stack).filter((line) => /^\s+at /.test(line))) terminal.err(dim(line))
  terminal.err('  this is a fault of Sluice itself: please report it with the lines above')
}

function plainLines(text: string): string[] {
  return scrubText(text).split('\n').map(printable)
}
