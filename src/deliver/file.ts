import { lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '../base/atomic-file.ts'
import { codeOf, messageOf } from '../base/errors.ts'
import { renderTemplate } from '../base/template.ts'
import type { Message } from './message.ts'
import { type Delivered, delivered, finalFault, laterFault } from './outcome.ts'
import type { FileTarget } from './target.ts'
import { templateValues } from './template-values.ts'

/** Names end at 255 bytes on Linux (NAME_MAX); the temporary file beside it needs some of them. */
const longest_name_bytes = 230
/** Reports are for people: the group reads them, too; the umask takes away what it should not. */
const report_mode = 0o640

/** The same message again makes the same file again. */
export function deliverToFile({ dir, file_name }: FileTarget, message: Message): Delivered {
  const name = renderTemplate(file_name, templateValues(message))
  const odd = oddNameReason(name)
  if (odd)
    return finalFault('delivery.file_name', `no file ${JSON.stringify(name)} is written: ${odd}`, 'change its name')
  const path = join(dir, name)
  try {
    makeDirectory(dir)
    // The rename would not follow a link but replace it; whoever put it there meant something else.
    const there = lstatSync(path, { throwIfNoEntry: false })
    if (there && !there.isFile()) {
      return finalFault('delivery.file', `${path} is there and is no plain file`, 'remove it or choose another name')
    }
    writeFileAtomic(path, message.text, report_mode)
    return delivered
  } catch (error) {
    return laterFault(
      'delivery.file',
      `cannot write ${path}: ${messageOf(error)}`,
      'check the directory, its owner and its disk',
    )
  }
}

function oddNameReason(name: string): string | undefined {
  if (name === '' || name === '.' || name === '..') return 'it names no file'
  if (name.includes('/') || name.includes('\0')) return 'it would lie outside its directory'
  if (Buffer.byteLength(name) > longest_name_bytes) return `it is longer than ${longest_name_bytes} bytes`
  return undefined
}

/** Not its parents: where those are missing a disk is not mounted, and the report would vanish below it. */
function makeDirectory(dir: string): void {
  try {
    mkdirSync(dir, { mode: 0o750 })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}
