/** What a person can do about paths that a scan could not read, by the codes that it got (errno(3)). */
export function adviceOnUnreadable(codes: readonly string[]): string {
  const advice = new Set(codes.map((code) => advices[code] ?? 'look at the disk: dmesg'))
  return [...advice].join('; ')
}

const right = 'give this user the right'
const advices: Readonly<Record<string, string>> = {
  EACCES: right,
  EPERM: right,
  ENAMETOOLONG: 'shorten the path: the system takes 4,096 bytes',
  EMFILE: 'allow more open files: LimitNOFILE',
  ENFILE: 'allow more open files: fs.file-max',
}
