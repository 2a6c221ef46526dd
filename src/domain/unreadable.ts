/** What a person can do about paths that a scan could not read, by the codes that it got (errno(3)). */
export function adviceOnUnreadable(codes: readonly string[]): string {
  const advice = new Set(codes.map((code) => advices[code] ?? 'look at the disk: dmesg'))
  return [...advice].join('; ')
}

/** errno(3) for what lies below a mount point in a folder: it is covered, not gone, and mount points are not crossed. */
export const other_disk_code = 'EXDEV'

/** Of one file, for people. */
export function unreadableText(code: string): string {
  if (code !== other_disk_code) return `it cannot be read (${code})`
  return 'another disk is mounted above it, and not entered: take that away, make it a folder of its own, or exclude it'
}

const right = 'give this user the right'
const advices: Readonly<Record<string, string>> = {
  EACCES: right,
  EPERM: right,
  ENAMETOOLONG: 'shorten the path: the system takes 4,096 bytes',
  EMFILE: 'allow more open files: LimitNOFILE',
  ENFILE: 'allow more open files: fs.file-max',
}
