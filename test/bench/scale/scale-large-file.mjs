import { randomFillSync } from 'node:crypto'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rest } from '../rescan.mjs'
import { configure } from '../rig/configured.mjs'
import { measureNode, startServer } from '../rig/measured-process.mjs'
import { refuseUnready } from '../rig/outcome.mjs'
import { figureOf } from '../rig/statistics.mjs'

const bare_upload = fileURLToPath(new URL('../rig/bare-upload.mjs', import.meta.url))
const null_service = new URL('../rig/null-service.mjs', import.meta.url)
const piece_bytes = 8 * 1_048_576

/** @type {import('./scale-rows.mjs').ScaleRow} */
export const large_file = {
  name: 'large-file',
  about: ({ megabytes }) =>
    `One file of ${megabytes} MB to the null service; beside an md5 pass and a bare streamed PUT, one after the other`,
  figures: {
    bare_s: ['md5 pass and bare PUT', 's'],
    sluice_s: ['Sluice, until it is ready', 's'],
    times_bare: ['Sluice in times of the bare', 'x'],
    mb_per_s: ['Sluice', 'MB/s'],
    cpu_s: ['processor time, Sluice', 's'],
    loop_p99_ms: ['loop of Sluice, p99 of the delay', 'ms'],
    max_loop_ms: ['  longest, its start included', 'ms'],
    peak_mb: ['peak memory, Sluice', 'MB'],
    bare_peak_mb: ['peak memory, bare', 'MB'],
  },
  aims: [
    { figure: 'times_bare', max: 1.25 },
    { figure: 'loop_p99_ms', of: 'max', max: 50 },
    { figure: 'peak_mb', of: 'max', max: 150 },
  ],
  measure: measureLargeFile,
}

/**
 * The file has real bytes, lies in the page cache for both programs, and is new to a new ledger in
 * every round.
 * @param {import('./scale-rows.mjs').ScaleBench} bench
 */
async function measureLargeFile({
  options: { program, rounds, connections, large_mb: megabytes },
  folder,
}) {
  const work = folder('large-file')
  const watched = join(work, 'watched')
  const file = join(watched, 'film.mp4')
  mkdirSync(watched)
  writeNoise(file, megabytes * 1e6)
  await rest()
  const server = await startServer(null_service, [])
  try {
    const { api, token, project_id } = server.ready
    const runs = []
    for (let round = 0; round < rounds; round++) {
      const bare = await measureNode(bare_upload, [file, api, token, project_id])
      const sluice = join(work, `sluice-${round}`)
      const { words, ledger_file } = configure(sluice, {
        watched,
        service: server.ready,
        connections,
      })
      runs.push({ bare, sluice: await measureNode(program, words, { loop: true }) })
      refuseUnready(ledger_file, 1)
      rmSync(sluice, { recursive: true })
    }
    return summaryOf(runs, megabytes)
  } finally {
    await server.stop()
    rmSync(work, { recursive: true })
  }
}

/** @param {Record<'bare' | 'sluice', import('../rig/measured-process.mjs').Measurement>[]} runs */
function summaryOf(runs, megabytes) {
  return {
    megabytes,
    bare_s: figureOf(runs.map(({ bare }) => bare.seconds)),
    sluice_s: figureOf(runs.map(({ sluice }) => sluice.seconds)),
    times_bare: figureOf(runs.map(({ sluice, bare }) => sluice.seconds / bare.seconds)),
    mb_per_s: figureOf(runs.map(({ sluice }) => megabytes / sluice.seconds)),
    cpu_s: figureOf(runs.map(({ sluice }) => sluice.cpu_s)),
    loop_p99_ms: figureOf(runs.map(({ sluice }) => sluice.loop_p99_ms)),
    max_loop_ms: figureOf(runs.map(({ sluice }) => sluice.max_loop_ms)),
    peak_mb: figureOf(runs.map(({ sluice }) => sluice.peak_mb)),
    bare_peak_mb: figureOf(runs.map(({ bare }) => bare.peak_mb)),
  }
}

/** Writes pieces that all differ, without holes. @param {string} file @param {number} bytes */
function writeNoise(file, bytes) {
  const piece = randomFillSync(Buffer.alloc(Math.min(piece_bytes, bytes)))
  const descriptor = openSync(file, 'w')
  try {
    for (let at = 0; at < bytes; at += piece.length) {
      piece.writeBigUInt64LE(BigInt(at))
      writeSync(descriptor, piece, 0, Math.min(piece.length, bytes - at))
    }
  } finally {
    closeSync(descriptor)
  }
}
