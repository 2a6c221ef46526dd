import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { scale_rows } from '../scale/scale-rows.mjs'

/** The sizes in the README; a quick run uses smaller ones. */
const usual = {
  rounds: 5,
  rescan_files: 50_000,
  rescan_folders: 500,
  sync_files: 20_000,
  file_bytes: 4_096,
}
const usual_service = { assets: [1_000, 100_000], uploads: 200, upload_bytes: 1_048_576 }
const parts = ['rescan', 'sync', 'service']
const words_of_parts = ['scale', 'answers']
/** Only `bench scale` runs these, because it makes trees of hundreds of thousands of files. */
const usual_scale = {
  files: 200_000,
  rows: 1_000_000,
  idle_s: 600,
  saves: 40,
  large_mb: 4_000,
  burst_files: 2_000,
}
/** The limit of connections for Sluice and for the bare client: on loopback more bring nothing. */
const usual_connections = 8
const root = fileURLToPath(new URL('../../../', import.meta.url))

/**
 * @typedef {object} BenchOptions
 * @property {number} rounds
 * @property {number} rescan_files
 * @property {number} rescan_folders
 * @property {number} sync_files
 * @property {number} file_bytes
 * @property {number} connections connections to each of the two origins, for Sluice and for the
 * bare client
 * @property {readonly number[]} service_assets numbers of assets that the service holds, one after
 * the other
 * @property {number} uploads at once
 * @property {number} upload_bytes
 * @property {boolean} is_scale
 * @property {boolean} is_answers
 * @property {number} scale_files
 * @property {number} ledger_rows in the ledger that is read
 * @property {number} idle_s
 * @property {number} saves in each round
 * @property {number} large_mb of the one large file
 * @property {number} burst_files that are edited again and again
 * @property {ReadonlySet<string>} parts `rescan`, `sync`, `service`; for the scale names of rows
 * @property {string} program the program that is measured as `sluice`
 * @property {string} json the file for the figures
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
      'idle-s': { type: 'string', default: String(usual_scale.idle_s) },
      saves: { type: 'string', default: String(usual_scale.saves) },
      'large-mb': { type: 'string', default: String(usual_scale.large_mb) },
      connections: { type: 'string', default: String(usual_connections) },
      program: { type: 'string', default: `${root}dist/cli/main.js` },
      json: { type: 'string', default: `${root}bench.json` },
    },
  })
  const { only, program, json } = values
  if (positionals.length > 1 || positionals.some((word) => !words_of_parts.includes(word)))
    throw new Error('the only words are scale and answers')
  const is_scale = positionals[0] === 'scale'
  const known = is_scale ? scale_rows.map(({ name }) => name) : parts
  const chosen = only?.split(',') ?? known
  if (chosen.some((name) => !known.includes(name))) {
    throw new Error(
      `--only is ${known.slice(0, -1).join(', ')} or ${known.at(-1)}, or some of them with commas between`,
    )
  }
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
    is_scale,
    is_answers: positionals[0] === 'answers',
    scale_files: files ?? usual_scale.files,
    ledger_rows: files === undefined ? usual_scale.rows : files * 5,
    idle_s: wholeNumber('idle-s', values['idle-s']),
    saves: wholeNumber('saves', values.saves),
    burst_files: Math.min(files ?? usual_scale.burst_files, usual_scale.burst_files),
    large_mb: wholeNumber('large-mb', values['large-mb']),
    parts: new Set(chosen),
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
