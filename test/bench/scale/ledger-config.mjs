import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { known_project_id } from './known-service.mjs'

/** Many paths in each folder, as in `tree.mjs`. */
const files_a_folder = 100

/** The configuration of a ledger without real files. @param {string} dist @param {string} place */
export async function ledgerConfig(dist, place) {
  const watched = join(place, 'watched')
  const state_dir = join(place, 'state')
  mkdirSync(watched, { recursive: true })
  mkdirSync(state_dir, { recursive: true, mode: 0o700 })
  const { configFromObject } = await import(`${pathToFileURL(dist).href}/config/load.js`)
  const service = {
    base_url: 'http://127.0.0.1:1',
    project_id: known_project_id,
    token_file: '/dev/null',
  }
  const folders = [{ name: 'bench', path: watched }]
  return configFromObject({ service, state_dir, folders, uploads: { limit: 'off' } }, {})
}

/** @param {number} number */
export function pathOf(number) {
  const folder = Math.floor(number / files_a_folder)
  return `area-${folder % 10}/project-${folder}/minutes-${number}.txt`
}
