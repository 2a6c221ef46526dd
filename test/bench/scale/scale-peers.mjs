import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { find } from '../rescan.mjs'
import { measureCommand } from '../rig/measured-process.mjs'
import { figureOf } from '../rig/statistics.mjs'
import { startSyncthing } from './syncthing.mjs'

/** Arguments that turn off any configuration of the user. */
const rclone_words = ['--config', '/dev/null']

/** @type {import('./scale-rows.mjs').ScaleRow} */
export const peers = {
  name: 'peers',
  about: ({ files }) => `Other programs on the same ${files} files, for the scans above`,
  figures: {
    find_s: ['find', 's'],
    md5sum_s: ['find | xargs -P2 md5sum', 's'],
    rclone_sync_s: ['rclone sync, nothing changed', 's'],
    rclone_times_find: ['  in times of find', 'x'],
    rclone_hashsum_s: ['rclone hashsum', 's'],
    rclone_times_md5sum: ['  in times of md5sum', 'x'],
    syncthing_rescan_s: ['Syncthing, another scan', 's'],
    syncthing_times_find: ['  in times of find', 'x'],
    syncthing_first_s: ['Syncthing, first scan (SHA-256)', 's'],
    syncthing_times_md5sum: ['  in times of md5sum', 'x'],
    syncthing_peak_mb: ['Syncthing, peak memory', 'MB'],
  },
  aims: [],
  measure: measurePeers,
}

/** @param {import('./scale-rows.mjs').ScaleBench} bench */
async function measurePeers({ options: { rounds }, folder, tree }) {
  const { watched, paths } = await tree()
  const work = folder('peers')
  const versions = {
    rclone: firstLine('rclone', 'version'),
    syncthing: firstLine('syncthing', '--version'),
  }
  const rclone = versions.rclone && (await prepareRclone(watched, join(work, 'copy')))
  const syncthing =
    versions.syncthing && (await prepareSyncthing(watched, paths, join(work, 'syncthing')))
  const runs = []
  try {
    for (let round = 0; round < rounds; round++) {
      const line = 'find "$0" -type f -print0 | xargs -0 -P2 -n 2000 md5sum'
      runs.push({
        find_s: (await find(watched)).seconds,
        md5sum_s: (await measureCommand('sh', ['-c', line, watched])).seconds,
        ...(await rclone?.measure()),
        ...(await syncthing?.measure()),
      })
    }
    return {
      files: paths.length,
      ...figuresOf(runs),
      ...syncthing?.figures(figureOf(runs.map(({ md5sum_s }) => md5sum_s)).median),
      notes: Object.entries(versions).map(
        ([name, version]) => version ?? `${name} is not installed: skipped`,
      ),
    }
  } finally {
    await syncthing?.stop()
    rmSync(work, { recursive: true })
  }
}

/** The figures of each round, also as multiples of the yardsticks of the same round. */
function figuresOf(runs) {
  const shares = runs.map(
    ({ find_s, md5sum_s, rclone_sync_s, rclone_hashsum_s, syncthing_rescan_s }) => ({
      rclone_times_find: rclone_sync_s / find_s,
      rclone_times_md5sum: rclone_hashsum_s / md5sum_s,
      syncthing_times_find: syncthing_rescan_s / find_s,
    }),
  )
  const all = runs.map((run, at) => ({ ...run, ...shares[at] }))
  const measured = Object.keys(all[0]).filter((name) => !Number.isNaN(all[0][name]))
  return Object.fromEntries(measured.map((name) => [name, figureOf(all.map((run) => run[name]))]))
}

/** @param {string} watched @param {string} copy */
async function prepareRclone(watched, copy) {
  const sync = () => measureCommand('rclone', ['sync', ...rclone_words, watched, copy])
  await sync()
  return {
    async measure() {
      const hashsum = ['hashsum', 'MD5', ...rclone_words, watched]
      return {
        rclone_sync_s: (await sync()).seconds,
        rclone_hashsum_s: (await measureCommand('rclone', hashsum)).seconds,
      }
    },
  }
}

/** @param {string} watched @param {readonly string[]} paths @param {string} home */
async function prepareSyncthing(watched, paths, home) {
  const syncthing = await startSyncthing(home)
  try {
    const [marker] = relative(watched, paths[0]).split(sep)
    const first_s = await timed(() => syncthing.add(watched, paths.length, marker))
    return {
      measure: async () => ({ syncthing_rescan_s: await timed(() => syncthing.rescan()) }),
      /**
       * Only one scan is the first, because its database is new only once.
       * @param {number} md5sum_s
       */
      figures: (md5sum_s) => ({
        syncthing_first_s: figureOf([first_s]),
        syncthing_times_md5sum: figureOf([first_s / md5sum_s]),
        syncthing_peak_mb: figureOf([syncthing.peakMb()]),
      }),
      stop: () => syncthing.stop(),
    }
  } catch (error) {
    await syncthing.stop()
    throw error
  }
}

/** @param {() => Promise<unknown>} work */
async function timed(work) {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1_000
}

/**
 * The version line of a program; undefined where it is not installed.
 * @param {string} program
 * @param {string} word
 */
function firstLine(program, word) {
  const { status, stdout } = spawnSync(program, [word], { encoding: 'utf8' })
  return status === 0 ? stdout.split('\n')[0].split(' (')[0] : undefined
}
