import { createRequire } from 'node:module'
import type Database from 'better-sqlite3'
import { messageOf, SluiceError } from '../run/errors.ts'

export type SqliteDriver = typeof Database

let loaded: SqliteDriver | undefined

/**
 * better-sqlite3, in the version that this Node can have; we see no difference between the two.
 *
 * 12 is built on V8. Compiled for Node 24.19 or newer of that line it aborts the process as soon as a statement is collected that
 * nobody holds any more, in whatever order things are closed (nodejs/node#65446). 13 is built on Node-API 10, which came with Node
 * 22.14; an older one does not refuse it but dies of a segmentation fault (WiseLibs/better-sqlite3#1514). When package.json asks
 * for 22.14, 13 takes the name better-sqlite3, and this file goes.
 *
 * npm leaves out an optional package that does not fit or does not build, without a word: so the first use tries it.
 * Error: `sqlite.unusable`.
 */
export function sqliteDriver(): SqliteDriver {
  loaded ??= load(Number(process.versions.napi))
  return loaded
}

function load(node_api: number): SqliteDriver {
  const has_own_binary = node_api >= 10
  try {
    const driver: SqliteDriver = has_own_binary
      ? createRequire(import.meta.url)('better-sqlite3-napi')
      : createRequire(import.meta.url)('better-sqlite3')
    new driver(':memory:').close()
    return driver
  } catch (error) {
    throw new SluiceError({
      code: 'sqlite.unusable',
      message: `better-sqlite3, which Sluice keeps everything in, does not load: ${messageOf(error)}`,
      hint: has_own_binary
        ? 'install Sluice again, with optional packages; its binary is for Linux (glibc 2.34 or newer, or musl) and macOS, on x64 or arm64'
        : 'install Sluice again with the network, or with a C++ compiler, make and Python 3; or take Node 22.14 or newer, which needs neither',
      cause: error,
    })
  }
}
