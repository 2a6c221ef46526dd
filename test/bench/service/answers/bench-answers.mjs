import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startServer } from '../../rig/measured-process.mjs'
import { benchFacts, factsLines } from './bench-facts.mjs'
import { asked_at_once, ServiceClient } from './service-client.mjs'

const here = new URL('.', import.meta.url)
const local_service = new URL('../../rig/local-service.mjs', here)
const make_corpus = fileURLToPath(new URL('corpus/make-corpus.sh', here))
/** Debian's packages are fetched once, into a place that git ignores. */
const packages = fileURLToPath(new URL('../../../../node_modules/.cache/answers', here))
const foreign = ['git', 'postgres', 'noten']
const max_quotes = 6
const aimed_kinds = ['direct', 'file-name', 'date', 'table-row', 'number']
const min_hit = 0.9
const max_difference = 0.02

/**
 * Asks the questions of questions.json over documents of Debian in English and German, and over the
 * papers of a firm that the recipe makes: as they are, as a scheduled prompt sends them, and with
 * three other projects beside. A hit: the passage stands in one of the first six quotes. Before
 * that, what of 100 facts reaches an answer of a model.
 * @param {string} work an empty folder
 */
export async function benchAnswers(work) {
  return { facts: await benchFacts(work), ...(await benchQuestions(work)) }
}

async function benchQuestions(work) {
  const corpus = madeCorpus(work)
  if (corpus.skipped !== undefined) return corpus
  const questions = JSON.parse(readFileSync(new URL('questions.json', here), 'utf8'))
  const server = await startServer(local_service, [join(work, 'data')])
  const client = new ServiceClient(server.ready)
  try {
    const files = await client.takeIn(server.ready.project_id, join(corpus.folder, 'corpus'))
    const direct = await hitsOf(client, questions, (question) => ({ prompt: question }))
    const promptOf = await scheduledPrompt(files)
    const scheduled = await hitsOf(client, questions, promptOf)
    for (const name of foreign) {
      const { project_id } = await client.call('/v1/projects', { name, description: '' })
      await client.takeIn(project_id, join(corpus.folder, 'foreign', name))
    }
    const beside = await hitsOf(client, questions, (question) => ({ prompt: question }))
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

/** For each question, whether its passage stands in a quote. */
async function hitsOf(client, questions, bodyOf) {
  const hits = []
  for (let from = 0; from < questions.length; from += asked_at_once) {
    const some = questions.slice(from, from + asked_at_once).map(async ({ question, passage }) => {
      const { response } = await client.answer({ ...bodyOf(question), intelligence: 'fast' })
      return quotesOf(response).some((quote) => plain(quote).includes(plain(passage)))
    })
    hits.push(...(await Promise.all(some)))
  }
  return hits
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
export function answersLines({ skipped, files, ready, kinds, facts }) {
  if (skipped !== undefined) return [...factsLines(facts), `Answers: no figures: ${skipped}`, '']
  return [
    ...factsLines(facts),
    `Answers over ${files} files (${ready} ready with those of three other projects), hit@6`,
    ...kinds.map(
      ({ kind, direct, scheduled, beside }) =>
        `  ${kind.padEnd(16)} direct ${direct.toFixed(2)}   scheduled ${scheduled.toFixed(2)}   beside other projects ${beside.toFixed(2)}`,
    ),
    '',
  ]
}
