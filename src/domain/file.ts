/**
 * What lstat says of a file, as far as "did it change?" is concerned. Times are nanoseconds since the Unix epoch. Two looks
 * are of the same bytes only if all four agree: a file can change and keep its size, and tools set mtime at will, but ctime is
 * the kernel's.
 */
export interface FileStat {
  size: number
  mtime_ns: bigint
  ctime_ns: bigint
  inode: bigint
}

export function sameStat(a: FileStat, b: FileStat): boolean {
  return a.size === b.size && a.mtime_ns === b.mtime_ns && a.ctime_ns === b.ctime_ns && a.inode === b.inode
}
