import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { startServer } from '../rig/measured-process.mjs'
import { figureOf, percentileOf } from '../rig/statistics.mjs'

const local_service = new URL('../rig/local-service.mjs', import.meta.url)
const fill_service = fileURLToPath(new URL('fill-service.mjs', import.meta.url))
/** The reads of each kind in a round, one after the other, so that no queue is measured. */
const reads = 300
const turns = 30
const poll_ms = 1

/**
 * Measures how long one caller waits for lists and answers in a project of so many assets.
 * @param {import('../rig/options.mjs').BenchOptions} options
 * @param {number} assets
 * @param {string} data_dir
 */
export async function benchLatency({ rounds }, assets, data_dir) {
  execFileSync(process.execPath, [fill_service, data_dir, String(assets)], { stdio: 'inherit' })
  const server = await startServer(local_service, [data_dir])
  const { api, token, project_id } = server.ready
  const pool = new Pool(api, { connections: 1 })
  const headers = {
    'x-api-key': token,
    'x-project-id': project_id,
    'content-type': 'application/json',
  }

  async function call(path, body) {
    const method = body === undefined ? 'GET' : 'POST'
    const answer = await pool.request({ path, method, headers, body: body && JSON.stringify(body) })
    const text = await answer.body.text()
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`)
    return JSON.parse(text)
  }

  async function answered(prompt) {
    const { chat_id, message_id } = await call('/v1/chats', { prompt })
    for (;;) {
      const { status, response } = await call(`/v1/chats/${chat_id}/messages/${message_id}`)
      if (status === 'done') return response
      if (status !== 'running') throw new Error(`the turn ended in ${status}`)
      await new Promise((resolve) => setTimeout(resolve, poll_ms))
    }
  }

  try {
    const middle = await cursorAt(call, Math.floor(assets / 2))
    const heron = await answered('Where does the heron wait?')
    if (!heron.includes('A heron waits in the reeds'))
      throw new Error(`nobody knows of the heron: ${heron}`)
    const kinds = {
      first_page: [reads, () => call('/v1/assets?limit=100')],
      middle_page: [reads, () => call(`/v1/assets?limit=100&after_id=${middle}`)],
      single_read: [reads, () => call(`/v1/assets/${middle}`)],
      chats_page: [reads, () => call('/v1/chats?limit=100')],
      turn_of_rare_word: [turns, () => answered('Where does the heron wait?')],
      turn_of_word_in_all: [turns, () => answered('What do the minutes say?')],
    }
    const found = {}
    for (const [name, [count, run]] of Object.entries(kinds))
      found[name] = await measure(rounds, count, run)
    return { assets, ...found }
  } finally {
    await pool.close()
    await server.stop()
  }
}

async function cursorAt(call, wanted) {
  let cursor
  for (let seen = 0; seen < wanted; ) {
    const { data, has_more, last_id } = await call(
      `/v1/assets?limit=100${cursor ? `&after_id=${cursor}` : ''}`,
    )
    seen += data.length
    cursor = last_id
    if (!has_more) break
  }
  return cursor
}

async function measure(rounds, count, run) {
  const halves = []
  const worst = []
  await run()
  for (let round = 0; round < rounds; round++) {
    const times = []
    for (let at = 0; at < count; at++) {
      const began = performance.now()
      await run()
      times.push(performance.now() - began)
    }
    halves.push(percentileOf(times, 50))
    worst.push(percentileOf(times, 99))
  }
  return { p50_ms: figureOf(halves), p99_ms: figureOf(worst) }
}
