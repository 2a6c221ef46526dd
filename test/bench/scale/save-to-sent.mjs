import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { figureOf, percentileOf } from '../rig/statistics.mjs'
import { textOf } from '../rig/tree.mjs'

/** Shorter than a user's 2 s, so that a run has many saves. The figures are the time beyond it. */
const settle_ms = 500
/** A save that is not sent within this time is lost, until a scan finds it. */
const max_ms = 30_000
/** Random pauses keep saves out of step with the daemon's own timers. */
const max_pause_ms = 300
/** The work of the daemon's start is done by then. */
const settled_ms = 3_000

/** @type {import('./scale-rows.mjs').ScaleRow} */
export const save_to_sent = {
  name: 'save-to-sent',
  about: ({ files, saves }) =>
    `One file saved among ${files} known ones, by writing or by a rename, new or changed; until \`complete\` is at the service, less settle_ms; ${saves} saves a round`,
  figures: {
    put_p50_ms: ['the bytes are there, p50', 'ms'],
    sent_p50_ms: ['sent, p50', 'ms'],
    sent_p99_ms: ['sent, p99', 'ms'],
  },
  aims: [
    { figure: 'sent_p50_ms', max: 150 },
    { figure: 'sent_p99_ms', max: 500 },
  ],
  measure,
}

/** @param {import('./scale-rows.mjs').ScaleBench} bench */
async function measure({ options: { rounds, saves }, known, turn }) {
  const folder = await known()
  const usual_ms = folder.setSettle(settle_ms)
  const daemon = folder.start()
  try {
    await daemon.scanned()
    await setTimeout(settled_ms)
    const runs = []
    for (let round = 0; round < rounds; round++) {
      const waits = []
      for (let save = 0; save < saves; save++) waits.push(await oneSave(folder, turn(), save))
      runs.push({
        put_p50_ms: percentileOf(
          waits.map(({ put_ms }) => put_ms),
          50,
        ),
        sent_p50_ms: percentileOf(
          waits.map(({ sent_ms }) => sent_ms),
          50,
        ),
        sent_p99_ms: percentileOf(
          waits.map(({ sent_ms }) => sent_ms),
          99,
        ),
      })
    }
    const figures = Object.keys(save_to_sent.figures)
    return {
      files: folder.paths.length,
      saves,
      settle_ms,
      ...Object.fromEntries(
        figures.map((figure) => [figure, figureOf(runs.map((run) => run[figure]))]),
      ),
    }
  } finally {
    await daemon.stop()
    folder.setSettle(usual_ms)
  }
}

/**
 * Saves by a rename every second time, and makes a new file two times of four. Returns the time
 * beyond settle_ms.
 */
async function oneSave({ paths, service }, turn, save) {
  const known = paths[Math.floor(paths.length * 0.8) - save]
  const path = save % 4 < 2 ? known : join(known, `../saved-${turn}.txt`)
  await setTimeout(Math.random() * max_pause_ms)
  const upload = service.nextUpload()
  const saved_ms = write(path, textOf(3_000_000 + turn, 4_000), save % 2 === 1)
  const { put_ms, complete_ms } = await Promise.race([upload, lost(path)])
  if (path !== known) paths.push(path)
  return { put_ms: put_ms - saved_ms - settle_ms, sent_ms: complete_ms - saved_ms - settle_ms }
}

/**
 * Writes directly, or as editors do: beside the file, then by a rename.
 * @param {string} path
 * @param {string} text
 */
function write(path, text, by_rename) {
  const place = by_rename ? `${path}.part` : path
  writeFileSync(place, text)
  if (by_rename) renameSync(place, path)
  return Date.now()
}

async function lost(path) {
  await setTimeout(max_ms, undefined, { ref: false })
  throw new Error(`${path} was saved and not sent within ${max_ms} ms`)
}
