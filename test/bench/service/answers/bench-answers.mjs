import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { startServer } from '../../rig/measured-process.mjs'

const here = new URL('.', import.meta.url)
const local_service = new URL('../../rig/local-service.mjs', here)
const make_corpus = fileURLToPath(new URL('corpus/make-corpus.sh', here))
/** Debian's packages are fetched once, into a place that git ignores. */
const packages = fileURLToPath(new URL('../../../../node_modules/.cache/answers', here))
const foreign = ['git', 'postgres', 'noten']
const max_quotes = 6
const asked_at_once = 8
const aimed_kinds = ['direct', 'file-name', 'date', 'table-row', 'number']
const min_hit = 0.9
const max_difference = 0.02

/**
 * Asks the questions of questions.json over documents of Debian in English and German, and over the
 * papers of a firm that the recipe makes: as they are, as a scheduled prompt sends them, and with
 * three other projects beside. A hit: the passage stands in one of the first six quotes.
 * @param {string} work an empty folder
 */
export async function benchAnswers(work) {
  const corpus = madeCorpus(work)
  if (corpus.skipped !== undefined) return corpus
  const questions = JSON.parse(readFileSync(new URL('questions.json', here), 'utf8'))
  const server = await startServer(local_service, [join(work, 'data')])
  const client = new Client(server.ready)
  try {
    const files = await client.takeIn(server.ready.project_id, join(corpus.folder, 'corpus'))
    const direct = await client.hitsOf(questions, (question) => ({ prompt: question }))
    const promptOf = await scheduledPrompt(files)
    const scheduled = await client.hitsOf(questions, promptOf)
    for (const name of foreign) {
      const { project_id } = await client.call('/v1/projects', { name, description: '' })
      await client.takeIn(project_id, join(corpus.folder, 'foreign', name))
    }
    const beside = await client.hitsOf(questions, (question) => ({ prompt: question }))
    return {
      files: files.length,
      ready: client.ready,
      kinds: byKind(questions, { direct, scheduled, beside }),
    }
  } finally {
    await client.close()
    await server.stop()
  }
}

function madeCorpus(work) {
  const folder = join(work, 'made')
  try {
    const env = { ...process.env, CACHE: process.env.CACHE ?? packages }
    execFileSync('bash', [make_corpus, folder], { stdio: ['ignore', 'ignore', 'pipe'], env })
    return { folder }
  } catch (error) {
    const said = String(error.stderr ?? error.message)
      .trim()
      .split('\n')
      .at(-1)
    return { skipped: `the documents of Debian cannot be had here: ${said}` }
  }
}

/**
 * The body that a run of Sluice would send: the question, and all that Sluice can add to it. Other
 * words of the user would be searched, too.
 */
async function scheduledPrompt(files) {
  const { composeTurns } = await import('../../../../dist/prompts/plan/question.js')
  const assets = files.map(({ asset_id, name, size }, at) => ({
    ...{ content: at, asset_id, md5: '', size, name: `papers/${name}`, seq: at },
    ...{ arrived_ms: 0, files: 1 },
  }))
  const settings = {
    ...{ name: 'daily-digest', max_assets: assets.length, when_too_many: 'defer' },
    ...{ intelligence: 'fast', provider: 'automatic', skills: [], public_data: false },
    schedule: { timezone: 'Europe/Berlin' },
    scope: { folders: ['papers'], fresh: 'all' },
  }
  const due_ms = Date.UTC(2026, 10, 23, 7)
  return (question) => {
    const prompt = `${question}\n\n{{folders}}, {{count}}, {{since}}, {{due}}, {{date}}: {{files}}`
    const wanted = {
      settings: { ...settings, prompt },
      run: { due_ms },
      assets,
      ids: {},
      since_ms: undefined,
    }
    return composeTurns(wanted).bodies[0]
  }
}

class Client {
  ready = 0
  #pool
  #blobs
  #headers

  constructor({ api, blob, token, project_id }) {
    this.#pool = new Pool(api, { connections: asked_at_once })
    this.#blobs = new Pool(blob, { connections: asked_at_once })
    this.#headers = {
      'x-api-key': token,
      'x-project-id': project_id,
      'content-type': 'application/json',
    }
  }

  async call(path, body, project_id = this.#headers['x-project-id']) {
    const method = body === undefined ? 'GET' : 'POST'
    const headers = { ...this.#headers, 'x-project-id': project_id }
    const sent = body === null ? undefined : body && JSON.stringify(body)
    if (sent === undefined) delete headers['content-type']
    const answer = await this.#pool.request({ path, method, headers, body: sent })
    const text = await answer.body.text()
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  /** Uploads a folder, and waits until all of it was read. */
  async takeIn(project_id, folder) {
    const names = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
      .sort()
    const files = []
    for (const name of names) files.push(await this.#upload(project_id, folder, name))
    for (const file of files) {
      for (;;) {
        const { status } = await this.call(`/v1/assets/${file.asset_id}`, undefined, project_id)
        if (status === 'ready') this.ready++
        if (status === 'ready' || status === 'failed') break
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
    return files
  }

  async #upload(project_id, folder, name) {
    const bytes = readFileSync(join(folder, name))
    const md5 = createHash('md5').update(bytes).digest('hex')
    const about = { filename: name, mime_type: 'application/octet-stream', md5 }
    const slot = await this.call('/v1/assets', about, project_id)
    const { pathname, search } = new URL(slot.upload_url)
    const headers = { ...slot.upload_headers }
    const put = await this.#blobs.request({
      method: 'PUT',
      path: pathname + search,
      headers,
      body: bytes,
    })
    await put.body.dump()
    await this.call(`/v1/assets/${slot.asset_id}/complete`, null, project_id)
    return { asset_id: slot.asset_id, name, size: bytes.length }
  }

  /** For each question, whether its passage stands in a quote. */
  async hitsOf(questions, bodyOf) {
    const hits = []
    for (let from = 0; from < questions.length; from += asked_at_once) {
      const some = questions
        .slice(from, from + asked_at_once)
        .map(async ({ question, passage }) => {
          const response = await this.#answer({ ...bodyOf(question), intelligence: 'fast' })
          return quotesOf(response).some((quote) => plain(quote).includes(plain(passage)))
        })
      hits.push(...(await Promise.all(some)))
    }
    return hits
  }

  async #answer(body) {
    const { chat_id, message_id } = await this.call('/v1/chats', body)
    for (;;) {
      const { status, response } = await this.call(`/v1/chats/${chat_id}/messages/${message_id}`)
      if (status === 'done') return response
      if (status !== 'running') throw new Error(`the turn ended in ${status}`)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }

  async close() {
    await Promise.all([this.#pool.close(), this.#blobs.close()])
  }
}

function quotesOf(response) {
  return response
    .split(/\n\n(?=\*\*)/)
    .slice(0, max_quotes)
    .map((quote) => quote.replace(/^> ?/gm, ''))
}

/** White space and the marks between cells are one blank. */
function plain(text) {
  return text.replace(/[|;,\s]+/g, ' ').toLowerCase()
}

function byKind(questions, hits) {
  const kinds = [...new Set(questions.map(({ kind }) => kind))]
  const shareOf = (found, kind) => {
    const own = found.filter((_, at) => questions[at].kind === kind)
    return Math.round((own.filter(Boolean).length / own.length) * 100) / 100
  }
  return kinds.map((kind) => ({
    kind,
    ...Object.fromEntries(Object.entries(hits).map(([way, found]) => [way, shareOf(found, kind)])),
  }))
}

/** @param {any} answers */
export function answersAims({ kinds = [] }) {
  return kinds.flatMap(({ kind, direct, scheduled, beside }) => {
    const difference = Math.max(Math.abs(direct - scheduled), Math.abs(direct - beside))
    const equal = {
      what: `${kind}, difference`,
      found: difference,
      aim: `${max_difference} at most`,
    }
    const hit = { what: `${kind}, hit@6`, found: direct, aim: `${min_hit} at least` }
    return [
      ...(aimed_kinds.includes(kind) ? [{ ...hit, met: direct >= min_hit }] : []),
      { ...equal, met: difference <= max_difference },
    ]
  })
}

/** @param {any} answers */
export function answersLines({ skipped, files, ready, kinds }) {
  if (skipped !== undefined) return [`Answers: no figures: ${skipped}`, '']
  return [
    `Answers over ${files} files (${ready} ready with those of three other projects), hit@6`,
    ...kinds.map(
      ({ kind, direct, scheduled, beside }) =>
        `  ${kind.padEnd(16)} direct ${direct.toFixed(2)}   scheduled ${scheduled.toFixed(2)}   beside other projects ${beside.toFixed(2)}`,
    ),
    '',
  ]
}
