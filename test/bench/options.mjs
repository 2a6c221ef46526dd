import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/** The sizes of which the README speaks; a quick look takes smaller ones. */
const usual = { rounds: 5, rescan_files: 50_000, rescan_folders: 500, sync_files: 20_000, file_bytes: 4_096 }
const usual_service = { assets: [1_000, 100_000], uploads: 200, upload_bytes: 1_048_576 }
const parts = ['rescan', 'sync', 'service']
/** By its own word only: it makes trees of hundreds of thousands of files. */
const usual_scale_files = 200_000
/** The most at once, for Sluice and for the bare client: on loopback more bring nothing. */
const usual_connections = 8
const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * @typedef {object} BenchOptions
 * @property {number} rounds
 * @property {number} rescan_files
 * @property {number} rescan_folders
 * @property {number} sync_files
 * @property {number} file_bytes
 * @property {number} connections connections to each of the two origins, for Sluice and for the bare client
 * @property {readonly number[]} service_assets how many assets the service holds, one after the other
 * @property {number} uploads at once
 * @property {number} upload_bytes
 * @property {number} scale_files
 * @property {ReadonlySet<string>} parts `rescan`, `sync`, `service`, or `scale` alone
 * @property {string} program what is measured as `sluice`
 * @property {string} json where the figures are written
 */

/**
 * @param {readonly string[]} words
 * @returns {BenchOptions}
 */
export function readOptions(words) {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: String(usual.rounds) },
      files: { type: 'string' },
      only: { type: 'string' },
      connections: { type: 'string', default: String(usual_connections) },
      program: { type: 'string', default: `${root}dist/cli/main.js` },
      json: { type: 'string', default: `${root}bench.json` },
    },
  })
  const { only, program, json } = values
  if (positionals.some((word) => word !== 'scale')) throw new Error('the only word is scale')
  const is_scale = positionals.length > 0
  if (only !== undefined && !parts.includes(only)) throw new Error('--only is rescan, sync or service')
  const files = values.files === undefined ? undefined : wholeNumber('files', values.files)
  const rescan_files = files ?? usual.rescan_files
  return {
    rounds: wholeNumber('rounds', values.rounds),
    rescan_files,
    rescan_folders: Math.min(usual.rescan_folders, Math.ceil(rescan_files / 100)),
    sync_files: files ?? usual.sync_files,
    file_bytes: usual.file_bytes,
    connections: wholeNumber('connections', values.connections),
    service_assets: files === undefined ? usual_service.assets : [files],
    uploads: Math.min(usual_service.uploads, files ?? usual_service.uploads),
    upload_bytes: usual_service.upload_bytes,
    scale_files: files ?? usual_scale_files,
    parts: new Set(is_scale ? ['scale'] : only === undefined ? parts : [only]),
    program,
    json,
  }
}

/**
 * @param {string} name
 * @param {string} text
 */
function wholeNumber(name, text) {
  if (/^[1-9]\d{0,7}$/.test(text)) return Number(text)
  throw new Error(`--${name} is a whole number from 1 on`)
}
