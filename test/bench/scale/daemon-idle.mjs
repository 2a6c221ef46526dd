import { setTimeout } from 'node:timers/promises'
import { figureOf } from '../rig/statistics.mjs'

/** The daemon needs this time after its start for its first work, and for the auditor to begin. */
const settled_ms = 15_000
/** Work that follows a scan belongs to it. */
const after_scan_ms = 2_000

/** @type {import('./scale-rows.mjs').ScaleRow} */
export const idle = {
  name: 'idle',
  about: ({ files, idle_s }) =>
    `sluice run on ${files} known files, ${idle_s} s in which nothing happens to them`,
  figures: {
    idle_percent: ['of a core, besides the scan', '%'],
    idle_cpu_s: ['processor time, besides the scan', 's'],
    scan_cpu_s: ['processor time of the scan', 's'],
    rss_mb: ['resident at the end', 'MB'],
  },
  aims: [{ figure: 'idle_percent', max: 0.2 }],
  measure,
}

/**
 * Measures once, because ten minutes hold many ticks of everything.
 * @param {import('./scale-rows.mjs').ScaleBench} bench
 */
async function measure({ options: { idle_s }, known }) {
  const folder = await known()
  const daemon = folder.start()
  await daemon.scanned()
  await setTimeout(settled_ms)
  const pages = folder.service.calls.pages
  const began_ms = performance.now()
  const began_cpu_s = daemon.cpu_s()
  await setTimeout(idle_s * 500)
  const scan_cpu_s = await ofOneScan(daemon)
  await setTimeout(began_ms + idle_s * 1_000 - performance.now())
  const cpu_s = daemon.cpu_s() - began_cpu_s - scan_cpu_s
  const passed_s = (performance.now() - began_ms) / 1_000
  const { rss_mb } = daemon.memory()
  await daemon.stop()
  const audited = folder.service.calls.pages - pages
  const figures = { idle_percent: (cpu_s / passed_s) * 100, idle_cpu_s: cpu_s, scan_cpu_s, rss_mb }
  return {
    files: folder.paths.length,
    idle_s,
    ...Object.fromEntries(
      Object.entries(figures).map(([name, value]) => [name, figureOf([value])]),
    ),
    notes: [`inside: one scan, ${audited} pages of an audit, a check of the watchdog every 20 s`],
  }
}

/** @param {ReturnType<typeof import('../rig/running-daemon.mjs').startDaemon>} daemon */
async function ofOneScan(daemon) {
  const before_s = daemon.cpu_s()
  const asked_ms = Date.now()
  await daemon.rescan()
  await daemon.scanned(asked_ms)
  await setTimeout(after_scan_ms)
  return daemon.cpu_s() - before_s
}
