import { readFileSync, writeFileSync } from 'node:fs'

// Adds two lines to the lock file that npm does not write. Without them every clone compiles a
// better-sqlite3 that no process loads (src/base/files/sqlite-driver.ts says which one is loaded).
const file = new URL('../package-lock.json', import.meta.url)
const before = readFileSync(file, 'utf8')
const lock = JSON.parse(before)

// The package says so itself, but npm forgets it, compiles it, and leaves it out where there is no
// compiler (npm/cli#9837).
lock.packages['node_modules/better-sqlite3-napi'].gypfile = false
// The package would run on newer versions of Node, too.
lock.packages['node_modules/better-sqlite3'].engines = { node: '<22.14' }

const after = `${JSON.stringify(lock, undefined, 2)}\n`
if (after !== before) writeFileSync(file, after)
