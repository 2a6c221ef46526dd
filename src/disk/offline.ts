import { codeOf, messageOf, SluiceError } from '../base/errors.ts'

/** The root of a folder is not there or cannot be read: nothing follows from this about the files in it. */
export function offline(root: string, why: unknown): SluiceError {
  const reason = typeof why === 'string' ? why : (codeOf(why) ?? messageOf(why))
  return new SluiceError({
    code: 'disk.offline',
    message: `the folder ${root} cannot be read: ${reason}`,
    hint: 'check that it exists, that its disk or share is mounted and that this user may read it',
    cause: why,
  })
}
