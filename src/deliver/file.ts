import { lstatSync, mkdirSync, readFileSync } from 'node:fs'
import { join, parse } from 'node:path'
import { writeFileAtomic } from '../base/files/atomic-file.ts'
import { codeOf, messageOf } from '../base/run/errors.ts'
import { renderTemplate } from '../base/text/template.ts'
import {
  type Delivered,
  delivered,
  finalFault,
  laterFault,
  type Message,
  type NotDelivered,
  templateValues,
} from './message.ts'
import type { FileTarget } from './target.ts'

/** Linux allows 255 bytes (NAME_MAX); the temporary file beside it needs some of them. */
const max_name_bytes = 230
/** The group may read reports, too. The umask can forbid it. */
const report_mode = 0o640

/** More files of one name mean a template without a date: a user must add it. */
const max_same_name = 1_000

/** Writes a message once: a repeated try finds the same bytes, with its id. Overwrites no file. */
export function deliverToFile({ dir, file_name }: FileTarget, message: Message): Delivered {
  const name = renderTemplate(file_name, templateValues(message))
  const odd = oddNameReason(name)
  if (odd)
    return finalFault(
      'delivery.file_name',
      `no file ${JSON.stringify(name)} is written: ${odd}`,
      'change its name',
    )
  const content = Buffer.from(`${message.text.trimEnd()}\n\n<!-- ${message.id} -->\n`)
  try {
    makeDirectory(dir)
    return writeOnce(join(dir, name), content)
  } catch (error) {
    return laterFault(
      'delivery.file',
      `cannot write ${join(dir, name)}: ${messageOf(error)}`,
      'check the directory, its owner and its disk',
    )
  }
}

function writeOnce(wanted: string, content: Buffer): Delivered {
  const { dir, name, ext } = parse(wanted)
  for (let number = 1; number <= max_same_name; number++) {
    const path = number === 1 ? wanted : join(dir, `${name}-${number}${ext}`)
    const there = whatIsAt(path, content)
    if (there === 'nothing') writeFileAtomic(path, content, report_mode)
    if (there === 'nothing' || there === 'this') return delivered
    if (there !== 'another file') return there
  }
  const what = `${max_same_name} files are already called ${wanted}`
  return laterFault('delivery.file', what, 'remove some, or put {{date}} into its name')
}

function whatIsAt(
  path: string,
  content: Buffer,
): 'nothing' | 'this' | 'another file' | NotDelivered {
  const there = lstatSync(path, { throwIfNoEntry: false })
  if (!there) return 'nothing'
  // Renaming would replace a link instead of following it, which its owner did not mean.
  if (!there.isFile()) {
    return finalFault(
      'delivery.file',
      `${path} exists and is not a regular file`,
      'remove it or choose another name',
    )
  }
  // Sluice writes whole files. Other bytes are another message, or come from another program.
  return there.size === content.length && content.equals(readFileSync(path))
    ? 'this'
    : 'another file'
}

function oddNameReason(name: string): string | undefined {
  if (name === '' || name === '.' || name === '..') return 'it is not the name of a file'
  if (name.includes('/') || name.includes('\0')) return 'it would lie outside its directory'
  if (Buffer.byteLength(name) > max_name_bytes) return `it is longer than ${max_name_bytes} bytes`
  return undefined
}

/** Creates no parents: a missing one may be on an unmounted disk, which would later hide it. */
function makeDirectory(dir: string): void {
  try {
    mkdirSync(dir, { mode: 0o750 })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}
