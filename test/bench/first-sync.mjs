import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rest } from './rescan.mjs'
import { configure } from './rig/configured.mjs'
import { measureNode, startServer } from './rig/measured-process.mjs'
import { refuseUnready } from './rig/outcome.mjs'
import { figureOf } from './rig/statistics.mjs'
import { makeTree } from './rig/tree.mjs'

const bare_client = fileURLToPath(new URL('rig/bare-client.mjs', import.meta.url))
const services = {
  local: new URL('rig/local-service.mjs', import.meta.url),
  null: new URL('rig/null-service.mjs', import.meta.url),
}

/**
 * Measures a first sync by Sluice and by the bare client, to the local service and to the null
 * service. Ledger and service are new every time. Sluice's time ends when every file is ready, the
 * bare client's when every call is answered.
 * @param {import('./rig/options.mjs').BenchOptions} options
 * @param {string} work
 */
export async function benchFirstSync(options, work) {
  const { sync_files: files, file_bytes: bytes, rounds } = options
  const watched = join(work, 'to-send')
  makeTree(watched, { files, folders: Math.ceil(files / 100), bytes })
  await rest()
  try {
    const runs = []
    for (let round = 0; round < rounds; round++) {
      runs.push({
        local: await againstBoth('local', options, watched, join(work, `local-${round}`)),
        null: await againstBoth('null', options, watched, join(work, `null-${round}`)),
      })
    }
    const summaries = ['local', 'null'].map((name) => [
      `${name}_service`,
      summaryOf(
        runs.map((run) => run[name]),
        files,
      ),
    ])
    return {
      files,
      file_bytes: bytes,
      connections: options.connections,
      ...Object.fromEntries(summaries),
    }
  } finally {
    rmSync(watched, { recursive: true })
  }
}

/**
 * @param {'local' | 'null'} name
 * @param {import('./rig/options.mjs').BenchOptions} options
 * @param {string} watched
 * @param {string} work
 */
async function againstBoth(name, options, watched, work) {
  const { program, connections, sync_files: files } = options
  const sluice = await withService(
    name,
    files,
    join(work, 'service-of-sluice'),
    async (service) => {
      const { words, ledger_file } = configure(join(work, 'sluice'), {
        watched,
        service,
        connections,
      })
      const measured = await measureNode(program, words)
      refuseUnready(ledger_file, files)
      return measured
    },
  )
  const bare = await withService(
    name,
    files,
    join(work, 'service-of-bare'),
    ({ api, token, project_id }) =>
      measureNode(bare_client, [watched, api, token, project_id, String(connections)]),
  )
  rmSync(work, { recursive: true })
  return { sluice, bare }
}

/**
 * Runs something beside a new service. Throws unless the service holds all files afterwards (the
 * null service cannot say).
 * @template Value
 * @param {'local' | 'null'} name
 * @param {number} files
 * @param {string} data_dir
 * @param {(service: any) => Promise<Value>} run
 */
async function withService(name, files, data_dir, run) {
  const server = await startServer(services[name], [data_dir])
  let held
  let value
  try {
    value = await run(server.ready)
  } finally {
    held = await server.stop()
  }
  if (
    held !== undefined &&
    (held.assets !== files || held.accepted !== files || held.blob_faults !== 0)
  ) {
    throw new Error(`the service holds ${JSON.stringify(held)} after ${files} files were sent`)
  }
  return value
}

/** @param {Record<'sluice' | 'bare', import('./rig/measured-process.mjs').Measurement>[]} runs */
function summaryOf(runs, files) {
  const rates = runs.map(({ sluice, bare }) => ({
    sluice: files / sluice.seconds,
    bare: files / bare.seconds,
  }))
  return {
    sluice_s: figureOf(runs.map((run) => run.sluice.seconds)),
    bare_s: figureOf(runs.map((run) => run.bare.seconds)),
    sluice_files_per_s: figureOf(rates.map((rate) => rate.sluice)),
    bare_files_per_s: figureOf(rates.map((rate) => rate.bare)),
    of_bare_rate: figureOf(rates.map((rate) => rate.sluice / rate.bare)),
    sluice_cpu_s: figureOf(runs.map((run) => run.sluice.cpu_s)),
    sluice_peak_mb: figureOf(runs.map((run) => run.sluice.peak_mb)),
    bare_peak_mb: figureOf(runs.map((run) => run.bare.peak_mb)),
  }
}
