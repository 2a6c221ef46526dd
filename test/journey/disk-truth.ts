import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

export function md5Of(bytes: string | Uint8Array): string {
  return hash('md5', bytes, 'hex')
}

/** Every regular file below a folder: its path and the md5 of its bytes, read by plain means. Names that are not UTF-8 are left out. */
export function filesOnDisk(root: string): Map<string, string> {
  const found = new Map<string, string>()
  walk(root, '', found)
  return found
}

function walk(root: string, under: string, found: Map<string, string>): void {
  for (const entry of readdirSync(`${root}/${under}`, { withFileTypes: true, encoding: 'buffer' })) {
    const name = entry.name.toString('utf8')
    if (!Buffer.from(name).equals(entry.name)) continue
    const path = under + name
    if (entry.isDirectory()) walk(root, `${path}/`, found)
    else if (entry.isFile()) found.set(path, md5Of(readFileSync(`${root}/${path}`)))
  }
}
