import { readFileSync, writeFileSync } from 'node:fs'
import { configure } from '../rig/configured.mjs'
import { startDaemon } from '../rig/running-daemon.mjs'
import { startKnownService } from './known-service.mjs'
import { scanOnce } from './scale-scans.mjs'

/**
 * The tree of the bench as a daemon's folder, every file of it known and ready. Made by one look at it and by facts that say that
 * all is on the service, not by an upload of each.
 * @param {import('./scale-rows.mjs').ScaleBench} bench
 */
export async function makeKnownFolder({ options, folder, tree }) {
  const { watched, paths } = await tree()
  const { program, connections } = options
  const service = await startKnownService(paths.length)
  const place = folder('known')
  const { config_file, state_dir, ledger_file } = configure(place, { watched, service, connections })
  // All of it was wanted within the last hours: the upload limit would hold what is saved now.
  change(config_file, ({ uploads }) => Object.assign(uploads, { limit: 'off' }))
  const { ready } = await scanOnce(program, state_dir, watched, 'all-ready')
  if (ready !== paths.length) throw new Error(`${ready} of ${paths.length} files are ready`)
  const about = { config_file, state_dir, ledger_file }
  return {
    ...about,
    watched,
    paths,
    service,
    /** Answers what it was. @param {number} settle_ms */
    setSettle(settle_ms) {
      return change(config_file, ({ folders: [folder] }) => {
        const before_ms = Number.parseInt(folder.settle_ms, 10)
        folder.settle_ms = `${settle_ms}ms`
        return before_ms
      })
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
