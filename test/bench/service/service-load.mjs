import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { benchLatency } from './service-latency.mjs'
import { benchUploads } from './service-uploads.mjs'

/**
 * Measures the local service alone: the waits of its callers, with few assets and with many, and
 * its memory under many uploads at once.
 * @param {import('../rig/options.mjs').BenchOptions} options
 * @param {string} work
 */
export async function benchService(options, work) {
  const latency = []
  for (const assets of options.service_assets) {
    const data_dir = made(work, `assets-${assets}`)
    latency.push(await benchLatency(options, assets, data_dir))
    rmSync(data_dir, { recursive: true })
  }
  const data_dir = made(work, 'uploads')
  const uploads = await benchUploads(options, data_dir)
  rmSync(data_dir, { recursive: true })
  return { latency, uploads }
}

/** @param {string} work @param {string} name */
function made(work, name) {
  const folder = join(work, name)
  mkdirSync(folder, { mode: 0o700 })
  return folder
}
