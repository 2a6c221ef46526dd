import type { Release } from '../../../src/ledger/ledger.ts'
import { type Life, world } from './world.ts'

/*
 * Checks that claimed work is work in progress. doors/in-flight.ts reports the claims of a life's
 * workers, doors/http.ts their calls.
 */

export type WorkKind = Release[0]

/** The fields of claimed work that identify it. */
interface Work {
  content?: number
  run?: number
  target?: string
  folder?: string
  path?: string
  md5?: string
  asset_id?: string | undefined
}

interface Claim {
  kind: WorkKind
  work: Work
  since_ms: number
}

/**
 * A call to the service while its worker waits for the answer. `about`: the asset, or the md5 of
 * one that is to be created.
 */
export interface Call {
  place: string
  about: string
}

interface AtWork {
  claims: Map<string, Claim>
  calls: Set<Call>
  /** Time of the last call of this kind of work. */
  called_ms: Map<WorkKind, number>
}

/** A worker that neither calls nor releases for this long has forgotten its claim. */
const max_idle_ms = 2 * 60_000

/** Calls that only one kind of work makes. */
const kind_of_call: Readonly<Record<string, WorkKind>> = {
  create: 'send',
  put: 'send',
  complete: 'send',
  label: 'label',
  delete: 'remove',
  ask: 'run',
  answer: 'run',
}
/** Calls that several kinds of work make. */
const kinds_that_read: readonly WorkKind[] = ['send', 'follow', 'name', 'remove', 'run']

const lives = new WeakMap<Life, AtWork>()

function atWork(life: Life): AtWork {
  let found = lives.get(life)
  if (!found) {
    found = { claims: new Map(), calls: new Set(), called_ms: new Map() }
    lives.set(life, found)
  }
  return found
}

function keyOf({ content, run, target, folder, path }: Work): string {
  return content !== undefined
    ? `content ${content}`
    : run !== undefined
      ? `run ${run} ${target ?? ''}`
      : `${folder}/${path}`
}

export function claimed(life: Life, kind: WorkKind, work: Work): void {
  const { claims } = atWork(life)
  const key = `${kind} of ${keyOf(work)}`
  if (claims.has(key)) world.broken.push(`${key} was claimed twice`)
  claims.set(key, { kind, work, since_ms: world.at_ms })
}

export function released(life: Life, kind: WorkKind, work: Work): void {
  atWork(life).claims.delete(`${kind} of ${keyOf(work)}`)
}

/**
 * Called when a call begins: its work must be claimed, and no other call may do the same. Returns
 * the function to call at its end.
 */
export function called(life: Life, call: Call, md5_of: ReadonlyMap<string, string>): () => void {
  const { calls, claims, called_ms } = atWork(life)
  const kind = kind_of_call[call.place]
  if (kind !== undefined) {
    if (
      ![...claims.values()].some(
        (claim) => claim.kind === kind && isAbout(claim.work, call, md5_of),
      )
    )
      world.broken.push(`${call.place} of ${call.about} is under way, and nobody has claimed it`)
    if (
      !call.about.startsWith('/') &&
      [...calls].some(({ place, about }) => place === call.place && about === call.about)
    )
      world.broken.push(`${call.place} of ${call.about} is under way twice`)
  }
  calls.add(call)
  return () => {
    calls.delete(call)
    for (const kind of kindsOf(call)) called_ms.set(kind, world.at_ms)
  }
}

function kindsOf({ place }: Call): readonly WorkKind[] {
  const kind = kind_of_call[place]
  return kind === undefined ? kinds_that_read : [kind]
}

function isAbout(work: Work, { about }: Call, md5_of: ReadonlyMap<string, string>): boolean {
  // The list of labels is about no asset, and a call does not show which question it is about.
  if (work.run !== undefined || about.startsWith('/') || work.asset_id === about) return true
  return work.md5 !== undefined && (work.md5 === about || work.md5 === md5_of.get(about))
}

/** Claimed work that no worker does. */
export function idleClaims(life: Life): string[] {
  const { claims, calls, called_ms } = atWork(life)
  const busy = new Set([...calls].flatMap(kindsOf))
  return [...claims].flatMap(([key, { kind, since_ms }]) => {
    const idle_ms = world.at_ms - Math.max(since_ms, called_ms.get(kind) ?? 0)
    return busy.has(kind) || idle_ms <= max_idle_ms
      ? []
      : [`${key} is claimed, and nobody works on it`]
  })
}
