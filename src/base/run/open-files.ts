import { SluiceError } from './errors.ts'
import { maxOpenFiles } from './process.ts'

/** For every command: Node reads its modules many at a time, and the largest needs 112. */
export const min_open_files = 128
/** The usual limit of systems, and enough for most configurations. */
const usual_open_files = 1_024

/** Error `system.open_files` if this process may open fewer than `needed` files. */
export function refuseFewOpenFiles(what: string, needed: number, max = maxOpenFiles()): void {
  if (max === undefined || max >= needed) return
  throw new SluiceError({
    code: 'system.open_files',
    message: `${what} needs ${needed} open files at once, and this process may have only ${max}`,
    hint: raiseOpenFiles(needed),
  })
}

export function raiseOpenFiles(needed = 0): string {
  const files = Math.max(needed, usual_open_files)
  return `ulimit -n ${files}; in a unit LimitNOFILE=${files}`
}
