import { big_ledger } from './big-ledger.mjs'
import { idle } from './daemon-idle.mjs'
import { start } from './daemon-start.mjs'
import { page_refresh } from './page-refresh.mjs'
import { save_to_sent } from './save-to-sent.mjs'
import { burst } from './scale-burst.mjs'
import { first_sync } from './scale-first-sync.mjs'
import { large_file } from './scale-large-file.mjs'
import { peers } from './scale-peers.mjs'
import { first_scan, rescan } from './scale-scans.mjs'

/**
 * One line of the table of big folders.
 * @typedef {object} ScaleRow
 * @property {string} name for `--only`
 * @property {(size: any) => string} about describes the measured work, from its sizes
 * @property {Record<string, [title: string, unit: string]>} figures in
 * the order of the table; unmeasured ones are skipped
 * @property {readonly Aim[]} aims
 * @property {(bench: ScaleBench) => Promise<Measured>} measure
 *
 * @typedef {object} Aim
 * @property {string} figure
 * @property {'median' | 'max' | 'min'} [of] the value that must reach the aim; median by default
 * @property {number} [max] the highest value that meets the aim …
 * @property {number} [min] … or the lowest
 *
 * @typedef {Record<string, import('../rig/statistics.mjs').Figure | number | string | readonly string[]>}
 * Measured figures by their names, sizes for `about`, and `notes`: lines for users, such as skipped
 * rows with the reason
 *
 * @typedef {object} ScaleBench
 * @property {import('../rig/options.mjs').BenchOptions} options
 * @property {(name: string) => string} folder makes a new and empty folder for one row
 * @property {() => Promise<{ watched: string, paths: string[] }>} tree of `scale_files`
 * settled files; the same for all rows
 * @property {() => ReturnType<typeof import('./known-folder.mjs').makeKnownFolder>} known that
 * tree as a daemon's folder, all ready
 * @property {() => number} turn another number for each change to that tree by any row
 */

/** In the order in which they are measured. @type {readonly ScaleRow[]} */
export const scale_rows = [
  first_scan,
  rescan,
  start,
  save_to_sent,
  idle,
  page_refresh,
  first_sync,
  large_file,
  burst,
  peers,
  big_ledger,
]
