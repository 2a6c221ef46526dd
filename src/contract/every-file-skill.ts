/**
 * The built-in skill of the local service (contract, section 7): a turn that names it reads the
 * files of its scope whole, in batches.
 */
export const every_file_skill = 'sluice-read-every-file'
