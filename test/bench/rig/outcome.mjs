import { sqliteDriver } from '../../../dist/base/files/sqlite-driver.js'

const Database = sqliteDriver()

/**
 * @typedef {object} KnownFile
 * @property {string} state of the file, and of its content where it is present
 * @property {string} version its size and times
 */

/**
 * Reads the known state of every path in a ledger.
 * @param {string} ledger_file
 * @returns {Map<string, KnownFile>}
 */
export function readLedger(ledger_file) {
  const database = new Database(ledger_file, { readonly: true, fileMustExist: true })
  try {
    const rows = database
      .prepare(
        `SELECT path, CASE files.state WHEN 'present' THEN contents.state ELSE files.state END AS state,
           files.size || ' ' || mtime_ns || ' ' || ctime_ns || ' ' || inode || ' ' || content AS version
         FROM files LEFT JOIN contents ON contents.id = content`,
      )
      .all()
    return new Map(rows.map(({ path, state, version }) => [path, { state, version }]))
  } finally {
    database.close()
  }
}

/**
 * The paths whose state a run changed.
 * @param {ReadonlyMap<string, KnownFile>} before
 * @param {ReadonlyMap<string, KnownFile>} after
 */
export function differencesOf(before, after) {
  const differences = { changed: [], added: [], removed: [], other: [] }
  for (const [path, now] of after) {
    const then = before.get(path)
    if (then?.state === now.state && then.version === now.version) continue
    if (now.state === 'gone' && then?.state === 'ready') differences.removed.push(path)
    else if (now.state === 'ready' && (then === undefined || then.state === 'gone'))
      differences.added.push(path)
    else if (now.state === 'ready' && then?.state === 'ready') differences.changed.push(path)
    else differences.other.push(`${path} (${now.state})`)
  }
  for (const path of before.keys())
    if (!after.has(path)) differences.other.push(`${path} (no row any more)`)
  return differences
}

/**
 * Throws unless a run reported exactly the changes that were made.
 * @param {ReturnType<typeof differencesOf>} reported
 * @param {Omit<ReturnType<typeof differencesOf>, 'other'>} done
 */
export function refuseOtherDifferences(reported, done) {
  for (const [kind, paths] of Object.entries({ ...done, other: [] })) {
    const found = reported[kind]
    if (found.toSorted().join('\n') === paths.toSorted().join('\n')) continue
    throw new Error(`reported as ${kind}: ${listed(found)}; done: ${listed(paths)}`)
  }
}

/**
 * Throws unless a ledger knows exactly this number of files, and all are ready.
 * @param {string} ledger_file
 * @param {number} files
 */
export function refuseUnready(ledger_file, files) {
  const states = [...readLedger(ledger_file).values()].map(({ state }) => state)
  const ready = states.filter((state) => state === 'ready').length
  if (ready === files && states.length === files) return
  throw new Error(
    `${ready} of ${states.length} files in the ledger are ready; there are ${files} in the folder`,
  )
}

/** @param {readonly string[]} paths */
function listed(paths) {
  return paths.length === 0 ? 'nothing' : `${paths.length} (${paths.slice(0, 5).join(', ')})`
}
