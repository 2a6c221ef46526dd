import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'

/** A path whose last name is given byte by byte (latin1), so that it need not be UTF-8. */
function rawPath(root: string, raw_name: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(raw_name, 'latin1')])
}

export function writeRawFile(root: string, raw_name: string, text: string): void {
  writeFileSync(rawPath(root, raw_name), text)
}

export function makeRawDirectory(root: string, raw_name: string): void {
  mkdirSync(rawPath(root, raw_name))
}

export function makeFifo(root: string, name: string): void {
  execFileSync('mkfifo', [join(root, name)])
}

/** Makes a Unix socket that lies in the folder as long as the server listens. */
export async function makeSocket(root: string, name: string): Promise<Server> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(join(root, name), resolve))
  return server
}
