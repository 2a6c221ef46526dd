import type { SessionTurn, TranscriptTurn } from '../contract/messages-sessions.ts'
import type { Handlers } from './handler.ts'
import { foundResource, type ResourceParts } from './handlers-resources.ts'
import { envelopeOf, type Listing, readPage } from './paging.ts'
import { resource_groups } from './resource-groups.ts'

/** What was said in a session, page by page (D-09). A turn's id is its place, so that it is the same on every call. */
export function transcriptHandlers(parts: Pick<ResourceParts, 'resources'>): Handlers<'sessions.transcript'> {
  return {
    'sessions.transcript': ({ caller, project, params, query }) => {
      const row = foundResource(parts, resource_groups.sessions, { caller, project }, params.session_id)
      const { turns = [] } = JSON.parse(row.fields) as { turns?: SessionTurn[] }
      const { rows, has_more } = readPage(placesOf(turns), query)
      return { status: 200, body: envelopeOf(rows, has_more, ({ turn_id }) => turn_id) }
    },
  }
}

function placesOf(turns: readonly SessionTurn[]): Listing<TranscriptTurn, number> {
  const at = (place: number): TranscriptTurn => ({ turn_id: turnId(place), ...turns[place]! })
  const some = (from: number, count: number, step: 1 | -1) => {
    const places = Array.from({ length: count }, (_, index) => from + step * index)
    return places.filter((place) => turns[place] !== undefined).map(at)
  }
  return {
    positionOf: (id) => (turnId(placeOf(id)) === id && turns[placeOf(id)] ? placeOf(id) : undefined),
    forward: (after, count) => some(after === undefined ? 0 : after + 1, count, 1),
    backward: (before, count) => some(before - 1, count, -1),
    idOf: ({ turn_id }) => turn_id,
  }
}

function turnId(place: number): string {
  return `turn_${String(place).padStart(20, '0')}`
}

function placeOf(turn_id: string): number {
  return Number(turn_id.slice('turn_'.length))
}
