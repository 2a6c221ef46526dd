import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Pool } from 'undici'
import { startServer } from '../rig/measured-process.mjs'
import { figureOf } from '../rig/statistics.mjs'

const local_service = new URL('../rig/local-service.mjs', import.meta.url)
const sample_each_ms = 25
/** The first wave grows everything that grows once; after it the memory should stay. */
const waves = 6

/**
 * Makes many uploads at once, wave after wave, and samples the resident memory of the service. The
 * bytes are no text, so that the service does not read them.
 * @param {import('../rig/options.mjs').BenchOptions} options
 * @param {string} data_dir
 */
export async function benchUploads({ uploads, upload_bytes }, data_dir) {
  const server = await startServer(local_service, [data_dir])
  const { api, blob, token, project_id } = server.ready
  const pools = {
    api: new Pool(api, { connections: 32 }),
    blob: new Pool(blob, { connections: uploads }),
  }
  const headers = {
    'x-api-key': token,
    'x-project-id': project_id,
    'content-type': 'application/json',
  }
  const body = randomBytes(upload_bytes)
  const ids = []

  async function expected(status, answer) {
    const text = await answer.body.text()
    if (answer.statusCode !== status)
      throw new Error(`${answer.statusCode} in place of ${status}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  const post = (path, sent) =>
    pools.api.request({ path, method: 'POST', headers, body: sent && JSON.stringify(sent) })
  const wanted = { filename: 'noise.png', mime_type: 'image/png' }
  const slots = () =>
    Promise.all(
      Array.from({ length: uploads }, () =>
        post('/v1/assets', wanted).then((got) => expected(201, got)),
      ),
    )
  async function put({ upload_url, upload_headers }) {
    const { pathname, search } = new URL(upload_url)
    await expected(
      201,
      await pools.blob.request({
        path: pathname + search,
        method: 'PUT',
        headers: upload_headers,
        body,
      }),
    )
  }

  const rss = watchMemory(server.pid)
  try {
    await rss.settled()
    const start_mb = rss.now()
    const seconds = []
    const peaks = []
    const ends = []
    for (let wave = 0; wave < waves; wave++) {
      const made = await slots()
      rss.forget()
      const began = performance.now()
      await Promise.all(made.map(put))
      seconds.push((performance.now() - began) / 1_000)
      for (const { asset_id } of made) {
        await expected(200, await post(`/v1/assets/${asset_id}/complete`))
        ids.push(asset_id)
      }
      peaks.push(rss.peak())
      await rss.settled()
      ends.push(rss.now())
    }
    const held = await Promise.all(
      ids
        .slice(-uploads)
        .map((id) =>
          pools.api
            .request({ path: `/v1/assets/${id}`, method: 'GET', headers })
            .then((got) => expected(200, got)),
        ),
    )
    if (held.some(({ size_in_bytes }) => size_in_bytes !== upload_bytes))
      throw new Error('not every byte is held')
    return {
      uploads,
      upload_bytes,
      waves,
      start_mb,
      first_peak_mb: peaks[0],
      peak_mb: figureOf(peaks.slice(1)),
      second_end_mb: ends[1],
      end_mb: ends.at(-1),
      mb_per_s: figureOf(seconds.map((took) => (uploads * upload_bytes) / 1e6 / took)),
    }
  } finally {
    rss.stop()
    await Promise.all([pools.api.close(), pools.blob.close()])
    await server.stop()
  }
}

/** Samples the resident memory of a process, in megabytes. @param {number} pid */
function watchMemory(pid) {
  const now = () => {
    const kb = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1])
    return Math.round(kb * 1.024) / 1_000
  }
  let peak = 0
  const sampling = setInterval(() => {
    peak = Math.max(peak, now())
  }, sample_each_ms)
  return {
    now,
    peak: () => peak,
    forget: () => {
      peak = 0
    },
    settled: () => new Promise((resolve) => setTimeout(resolve, 1_000)),
    stop: () => clearInterval(sampling),
  }
}
