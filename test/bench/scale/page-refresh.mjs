import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { figureOf } from '../rig/statistics.mjs'

/** The daemon needs this time after its start for its first work, and to give memory back. */
const settled_ms = 15_000
/** A refresh, and time in which no status of one before is still shared. */
const between_ms = 1_500
const refreshes = 20
const open_pages = 10

/** @type {import('./scale-rows.mjs').ScaleRow} */
export const page_refresh = {
  name: 'page',
  about: ({ files }) =>
    `sluice run on ${files} known files with the page open: ${refreshes} refreshes of its first screen`,
  figures: {
    one_cpu_ms: ['processor time, one page', 'ms'],
    ten_cpu_ms: [`processor time, ${open_pages} pages at once`, 'ms'],
    loop_p99_ms: ['delay of the event loop, 99 %', 'ms'],
    more_mb: ['more memory than without the page', 'MB'],
  },
  aims: [
    { figure: 'one_cpu_ms', max: 20 },
    { figure: 'ten_cpu_ms', max: 60 },
    { figure: 'loop_p99_ms', max: 50 },
    { figure: 'more_mb', max: 25 },
  ],
  measure,
}

/** @param {import('./scale-rows.mjs').ScaleBench} bench */
async function measure({ options: { program, rounds }, known }) {
  const folder = await known()
  const { openPageStore } = await import(
    `${pathToFileURL(dirname(dirname(program))).href}/page/access/page-store.js`
  )
  const runs = []
  for (let round = 0; round < rounds; round++) {
    folder.setPage(undefined)
    const without = await started(folder)
    // A daemon grows in its first minutes, so both are as old when their memory is read.
    for (let part = 0; part < 4; part++) await spent(without, () => undefined)
    const { rss_mb } = without.memory()
    await without.stop()
    const address = `http://127.0.0.1:${20_000 + (process.pid % 20_000)}`
    folder.setPage({ listen: address.slice('http://'.length) })
    const daemon = await started(folder)
    const store = openPageStore(folder.state_dir, { now_ms: () => Date.now() })
    const pages = []
    while (pages.length < open_pages) pages.push(await signIn(address, store.makeLink()))
    store.close()
    await daemon.loopDelay()
    const one_cpu_ms = await refreshed(daemon, pages.slice(0, 1))
    const ten_cpu_ms = await refreshed(daemon, pages)
    const { loop_p99_ms } = await daemon.loopDelay()
    runs.push({ one_cpu_ms, ten_cpu_ms, loop_p99_ms, more_mb: daemon.memory().rss_mb - rss_mb })
    await daemon.stop()
  }
  const figures = Object.keys(page_refresh.figures)
  return {
    files: folder.paths.length,
    ...Object.fromEntries(
      figures.map((figure) => [figure, figureOf(runs.map((run) => run[figure]))]),
    ),
  }
}

async function started(folder) {
  const daemon = folder.start()
  await daemon.scanned()
  await setTimeout(settled_ms)
  return daemon
}

/** Opens the first screen; returns what refreshes it. @param {string} address @param {string} link */
async function signIn(address, link) {
  const body = new URLSearchParams({ link })
  const signed_in = await fetch(`${address}/link`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: address },
    body,
  })
  const [cookie] = signed_in.headers.getSetCookie()[0].split(';')
  let etag = ''
  return async () => {
    const headers = { cookie, 'hx-request': 'true', 'if-none-match': etag }
    const answer = await fetch(`${address}/`, { headers })
    await answer.arrayBuffer()
    if (answer.status !== 200 && answer.status !== 304)
      throw new Error(`the page answers with ${answer.status}`)
    etag = answer.headers.get('etag')
  }
}

/**
 * Processor time of one refresh of these pages at once, less what the daemon takes without them.
 */
async function refreshed(daemon, pages) {
  for (const refresh of pages) await refresh()
  const resting_s = await spent(daemon, () => undefined)
  const refreshing_s = await spent(daemon, () => Promise.all(pages.map((refresh) => refresh())))
  return ((refreshing_s - resting_s) / refreshes) * 1_000
}

async function spent(daemon, work) {
  const began_s = daemon.cpu_s()
  for (let time = 0; time < refreshes; time++) {
    const next = setTimeout(between_ms)
    await work()
    await next
  }
  return daemon.cpu_s() - began_s
}
