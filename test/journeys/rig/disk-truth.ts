import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

export function md5Of(bytes: string | Uint8Array): string {
  return hash('md5', bytes, 'hex')
}

/**
 * Every regular file below a folder: its path and the md5 of its bytes, read directly. Names that
 * are not UTF-8 are left out.
 */
export function filesOnDisk(root: string): Map<string, string> {
  return new Map(pathsOnDisk(root).map((path) => [path, md5Of(readFileSync(`${root}/${path}`))]))
}

/** The paths only, which is cheap. */
export function pathsOnDisk(root: string, under = ''): string[] {
  return readdirSync(`${root}/${under}`, { withFileTypes: true, encoding: 'buffer' }).flatMap(
    (entry) => {
      const name = entry.name.toString('utf8')
      if (!Buffer.from(name).equals(entry.name)) return []
      if (entry.isDirectory()) return pathsOnDisk(root, `${under}${name}/`)
      return entry.isFile() ? [under + name] : []
    },
  )
}
