import { createRequire } from 'node:module'
import type Database from 'better-sqlite3'
import { messageOf, SluiceError } from '../run/errors.ts'

export type SqliteDriver = typeof Database

let loaded: SqliteDriver | undefined

/**
 * better-sqlite3, in the version that this Node can load. Version 12 uses V8 directly. Built for
 * Node 24.19 or a newer 24, it aborts the process when an unreferenced statement is collected
 * (nodejs/node#65446). Version 13 uses Node-API 10, which came with Node 22.14. An older Node loads
 * it and dies of a segmentation fault (WiseLibs/better-sqlite3#1514). When package.json requires
 * Node 22.14, version 13 takes the name better-sqlite3, and this file goes. npm silently omits an
 * optional package that does not fit or build, so the first use tries it. Error: `sqlite.unusable`.
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
