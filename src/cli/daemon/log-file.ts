import { closeSync, constants, fstatSync, openSync, writeFileSync } from 'node:fs'
import { causeOf, codeOf, SluiceError } from '../../base/run/errors.ts'
import { type LogDestination, standard_error } from '../../base/text/log.ts'

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants

/**
 * Opens the file for each line, so that it may be renamed at any time (logrotate). A symbolic link
 * is refused: root would write where the link of another user leads. So is a file of another user
 * (except root), who could read the log. Error `usage.target`: it cannot be written.
 */
export function openLogFile(file: string): LogDestination {
  function write(text: string): void {
    // O_NONBLOCK: opening a pipe would otherwise wait for a reader.
    const descriptor = openSync(
      file,
      O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK,
      0o600,
    )
    try {
      const { uid } = fstatSync(descriptor)
      if (uid !== process.getuid!() && uid !== 0)
        throw new Error(`it belongs to another user (uid ${uid})`)
      writeFileSync(descriptor, text)
    } finally {
      closeSync(descriptor)
    }
  }
  try {
    write('')
  } catch (error) {
    const why = codeOf(error) === 'ELOOP' ? 'it is a symbolic link' : causeOf(error)
    const hint = 'name another file, or check who may write there'
    throw new SluiceError({
      code: 'usage.target',
      message: `${file} cannot be written: ${why}`,
      hint,
    })
  }
  let begin = ''
  return {
    write(line) {
      try {
        write(begin + line)
        begin = ''
      } catch {
        // A full disk must not end the work. It may have taken a part of the line.
        begin = '\n'
        standard_error.write(line)
      }
    },
  }
}
