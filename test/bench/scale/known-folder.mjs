import { readFileSync, writeFileSync } from 'node:fs'
import { configure } from '../rig/configured.mjs'
import { startDaemon } from '../rig/running-daemon.mjs'
import { startKnownService } from './known-service.mjs'
import { scanOnce } from './scale-scans.mjs'

/**
 * The tree of the bench as a daemon's folder, with every file known and ready. One scan and facts
 * make it, without uploads.
 * @param {import('./scale-rows.mjs').ScaleBench} bench
 */
export async function makeKnownFolder({ options, folder, tree }) {
  const { watched, paths } = await tree()
  const { program, connections } = options
  const service = await startKnownService(paths.length)
  const place = folder('known')
  const { config_file, state_dir, ledger_file } = configure(place, {
    watched,
    service,
    connections,
  })
  // All files were new within the last hours, so the upload limit would hold the files saved now.
  change(config_file, ({ uploads }) => Object.assign(uploads, { limit: 'off' }))
  const { ready } = await scanOnce(program, state_dir, watched, 'all-ready')
  if (ready !== paths.length) throw new Error(`${ready} of ${paths.length} files are ready`)
  const about = { config_file, state_dir, ledger_file }
  return {
    ...about,
    watched,
    paths,
    service,
    /** Sets settle_ms and returns the old value. @param {number} settle_ms */
    setSettle(settle_ms) {
      return change(config_file, ({ folders: [folder] }) => {
        const before_ms = Number.parseInt(folder.settle_ms, 10)
        folder.settle_ms = `${settle_ms}ms`
        return before_ms
      })
    },
    /** @param {object} page its settings; without them it is off */
    setPage(page) {
      change(config_file, (config) => Object.assign(config, { page }))
    },
    start: () => startDaemon(program, about),
  }
}

/**
 * @template Value
 * @param {string} config_file
 * @param {(config: any) => Value} apply
 */
function change(config_file, apply) {
  const config = JSON.parse(readFileSync(config_file, 'utf8'))
  const value = apply(config)
  writeFileSync(config_file, JSON.stringify(config, undefined, 2))
  return value
}
