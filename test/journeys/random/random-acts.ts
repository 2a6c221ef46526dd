import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { filesOnDisk, md5Of } from '../rig/disk-truth.ts'
import type { RandomLife } from './random-life.ts'

/** An act of a user on the disk, of other users on the service, or of the operator. */
export interface Act {
  name: string
  /** Relative frequency. */
  weight: number
  /** Returns a description of what it changed; undefined if there is nothing to change. */
  do(life: RandomLife): Promise<string | undefined> | string | undefined
}

/** Never moved or removed: a folder that becomes empty counts as offline. */
export const kept = ['docs/kept.txt', 'notes/kept.txt']
const directories = [
  'docs',
  'docs/alpha',
  'docs/beta',
  'docs/alpha/deep down',
  'notes',
  'notes/gamma',
  'notes/Übersicht',
]
/** A streamed file; most others are sent in one piece. */
const large = 'a line of a large text\n'.repeat(50_000)

function files(life: RandomLife): string[] {
  return ['docs', 'notes'].flatMap((folder) =>
    [...filesOnDisk(life.journey.at(folder)).keys()].sort().map((path) => `${folder}/${path}`),
  )
}

function movable(life: RandomLife): string | undefined {
  return life.chance.pick(files(life).filter((name) => !kept.includes(name)))
}

function freshName(life: RandomLife, folder?: string): string {
  const choice = directories.filter((name) => folder === undefined || name.split('/')[0] === folder)
  return `${life.chance.pick(choice)}/${life.next()}.txt`
}

/** Mostly a new text, sometimes an earlier one, or one that another user uploaded. */
function someText(life: RandomLife): string {
  const { chance, texts } = life
  if (chance.oneIn(6) && texts.length > 0) return chance.pick(texts)!
  const text = `text ${life.next()}\n${chance.oneIn(40) ? large : 'and more of it\n'.repeat(chance.below(40))}`
  texts.push(text)
  return text
}

function moved(life: RandomLife, from: string, to: string): string {
  mkdirSync(dirname(life.journey.at(to)), { recursive: true })
  renameSync(life.journey.at(from), life.journey.at(to))
  return `${from} -> ${to}`
}

export const disk_acts: readonly Act[] = [
  {
    name: 'write',
    weight: 16,
    do(life) {
      const name = freshName(life)
      life.journey.write({ [name]: someText(life) })
      return name
    },
  },
  {
    name: 'edit',
    weight: 12,
    do(life) {
      const name = life.chance.pick(files(life))
      if (name !== undefined) life.journey.write({ [name]: someText(life) })
      return name
    },
  },
  {
    name: 'append',
    weight: 10,
    do(life) {
      const name = life.chance.pick(files(life))
      if (name !== undefined)
        appendFileSync(life.journey.at(name), `one line more, the ${life.next()}.\n`)
      return name
    },
  },
  {
    name: 'rename',
    weight: 8,
    do(life) {
      const from = movable(life)
      return from && moved(life, from, freshName(life, from.split('/')[0]))
    },
  },
  {
    name: 'move to the other folder',
    weight: 6,
    do(life) {
      const from = movable(life)
      return from && moved(life, from, freshName(life, from.startsWith('docs') ? 'notes' : 'docs'))
    },
  },
  {
    name: 'move over another file',
    weight: 3,
    do(life) {
      const [from, to] = [movable(life), movable(life)]
      return from === undefined || to === undefined || from === to
        ? undefined
        : moved(life, from, to)
    },
  },
  {
    name: 'move a directory',
    weight: 2,
    do(life) {
      const from = life.chance.pick(
        directories.filter((name) => name.includes('/') && existsSync(life.journey.at(name))),
      )
      return (
        from && moved(life, from, `${life.chance.pick(['docs', 'notes'])}/moved ${life.next()}`)
      )
    },
  },
  {
    name: 'copy',
    weight: 8,
    do(life) {
      const from = life.chance.pick(files(life))
      if (from === undefined) return undefined
      const to = freshName(life)
      mkdirSync(dirname(life.journey.at(to)), { recursive: true })
      copyFileSync(life.journey.at(from), life.journey.at(to))
      return `${from} -> ${to}`
    },
  },
  {
    name: 'delete',
    weight: 11,
    do(life) {
      const name = movable(life)
      if (name !== undefined) life.journey.remove(name)
      return name
    },
  },
  {
    name: 'delete a directory',
    weight: 1,
    do(life) {
      const there = ['docs', 'notes'].flatMap((folder) =>
        readdirSync(life.journey.at(folder), { withFileTypes: true })
          .filter((entry) => entry.isDirectory())
          .map((entry) => `${folder}/${entry.name}`),
      )
      const name = life.chance.pick(there.sort())
      if (name !== undefined) rmSync(life.journey.at(name), { recursive: true })
      return name
    },
  },
]

export const service_acts: readonly Act[] = [
  {
    name: 'remove on the service',
    weight: 7,
    async do(life) {
      const asset = life.chance.pick(life.alive())
      if (!asset) return undefined
      life.removed.add(asset.md5)
      await life.journey.service.removeAsset(asset.asset_id)
      return `${asset.asset_id} ${asset.filename}`
    },
  },
  {
    name: 'upload by another user',
    weight: 3,
    async do(life) {
      const text = `theirs ${life.next()}`
      const asset_id = await upload(life, text)
      life.foreign.set(asset_id, text)
      return asset_id
    },
  },
]

/** The upload of another user appears on the disk, too. */
export const adopt: Act = {
  name: 'write the upload of another user',
  weight: 2,
  do(life) {
    const asset_id = life.chance.pick([...life.foreign.keys()].filter((id) => life.isAlive(id)))
    if (asset_id === undefined) return undefined
    const name = freshName(life)
    life.journey.write({ [name]: life.foreign.get(asset_id)! })
    return `${asset_id} as ${name}`
  },
}

export const daemon_acts: readonly Act[] = [
  {
    name: 'stop',
    weight: 2,
    do: (life) => life.stops('stop'),
  },
  {
    name: 'kill',
    weight: 3,
    do: (life) => life.stops('abort'),
  },
  {
    name: 'start',
    weight: 7,
    async do(life) {
      if (life.is_running) return undefined
      await life.start()
      return 'done'
    },
  },
  {
    name: 'restart of the service',
    weight: 2,
    async do(life) {
      await life.restartService()
      return life.journey.service.api
    },
  },
  {
    name: 'pause',
    weight: 1,
    do: (life) => life.whileRunning(({ daemon }) => daemon.pause({ by: 'somebody' })),
  },
  { name: 'resume', weight: 3, do: (life) => life.whileRunning(({ daemon }) => daemon.resume()) },
  {
    name: 'audit',
    weight: 2,
    do: (life) => life.whileRunning((journey) => journey.record({ type: 'audit_wanted' })),
  },
  { name: 'reload', weight: 2, do: (life) => life.whileRunning(() => life.reload()) },
  { name: 'verify', weight: 2, do: (life) => life.verify() },
  { name: 'quiet', weight: 4, do: (life) => life.whileRunning(({ daemon }) => daemon.idle()) },
]

async function upload(life: RandomLife, text: string): Promise<string> {
  const fields = { filename: 'theirs.txt', mime_type: 'text/plain', md5: md5Of(text) }
  const { body } = await life.journey.call('POST', '/v1/assets', fields)
  const headers = body.upload_headers as Record<string, string>
  const put = await fetch(body.upload_url as string, { method: 'PUT', headers, body: text })
  await put.arrayBuffer()
  const completed = await life.journey.call('POST', `/v1/assets/${body.asset_id}/complete`)
  if (!put.ok || completed.status !== 200)
    throw new Error(`upload by another user: ${put.status} ${completed.status}`)
  const asset_id = body.asset_id as string
  await life.journey.until('the upload is ready', () => life.isAlive(asset_id))
  return asset_id
}
