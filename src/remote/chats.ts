import { SluiceError } from '../base/run/errors.ts'
import { humaneOf } from '../contract/errors.ts'
import { every_file_skill } from '../contract/every-file-skill.ts'
import { isId } from '../contract/identifiers.ts'
import type { ChatStart } from '../contract/messages/messages-chats.ts'
import { amounts_read, type SourceRead } from '../domain/source-read.ts'
import { statusText } from './assets.ts'
import {
  type Fields,
  fieldsOf,
  idOf,
  OddAnswer,
  pageOf,
  present,
  textOf,
  timeOf_ms,
} from './outcome.ts'
import type { ShownTurn } from './turn-verdict.ts'

// Other modules use the wire types only through this file.
export { every_file_skill }

/** A question and its scope. It inherits nothing from an earlier turn. */
export interface Question {
  prompt: string
  intelligence?: 'auto' | 'fast' | 'expert' | 'research'
  /** `automatic`, or a vendor in lower case. */
  provider?: string | undefined
  skills?: readonly string[] | undefined
  /** False: no web search. */
  public_data?: boolean | undefined
  /** Absent: the whole project. */
  scope?: Scope | undefined
}

/** Ids by kind (assets, labels …). With several kinds, the question covers all of them together. */
export type Scope = { readonly [Kind in keyof NonNullable<ChatStart['scope']>]?: readonly string[] }

/** `judgeTurn` says whether it has ended. */
export interface Message extends ReturnType<typeof messageSummary>, ShownTurn {
  /** The question; a service may show it only together with the answer. */
  prompt?: string
}

/** Of one file; an answer names few of them, and the rest would only fill the ledger. */
const max_places = 20

/**
 * The request body. A text is one already, stored before it is sent, and stays unchanged. On the
 * wire an empty scope means *everything*, and an empty list counts as absent. Both are refused
 * (`remote.empty_scope`), so that a question over nothing never covers the whole project.
 */
export function questionBody(question: Question | string): string {
  if (typeof question === 'string') {
    refuseEmptyScope((JSON.parse(question) as Question).scope)
    return question
  }
  const { prompt, intelligence, provider, skills, public_data, scope } = question
  refuseEmptyScope(scope)
  return JSON.stringify({ prompt, intelligence, provider, skills, public_data, scope })
}

function refuseEmptyScope(scope: Scope | undefined): void {
  if (!scope) return
  const lists = Object.values(scope).filter((ids) => ids !== undefined)
  if (lists.length > 0 && lists.every((ids) => ids.length > 0)) return
  throw new SluiceError({
    code: 'remote.empty_scope',
    message:
      'a question was to be asked over an empty scope, which the service takes as the whole project',
  })
}

export function chatStartedOf(value: unknown) {
  const fields = fieldsOf(value, 'the answer')
  return { chat_id: idOf('chat', fields.chat_id), ...messageSummary(fields) }
}

export function messageAppendedOf(value: unknown) {
  return messageSummary(fieldsOf(value, 'the answer'))
}

export function chatSummaryOf(value: unknown) {
  const { chat_id, created_at, title } = fieldsOf(value, 'the chat')
  return present({
    chat_id: idOf('chat', chat_id),
    created_at_ms: timeOf_ms(created_at),
    title: textOf(title),
  })
}

export function skillOf(value: unknown) {
  const { skill_id, name, enabled } = fieldsOf(value, 'the skill')
  return { skill_id: idOf('skill', skill_id), name: textOf(name), is_enabled: enabled !== false }
}

/** A page of the list: under `messages`, under `data`, or bare, which is the whole list. */
export function messagePageOf(value: unknown, after_id: string | undefined) {
  const { messages, data, has_more, last_id }: Fields = Array.isArray(value)
    ? { data: value }
    : fieldsOf(value, 'the answer')
  const page = { data: messages ?? data, has_more: has_more === true, last_id }
  return pageOf(page, 'message', after_id, (item) => messageSummary(fieldsOf(item, 'the message')))
}

export function messageOf(value: unknown, message_id: string): Message {
  const fields = fieldsOf(value, 'the message')
  const summary = messageSummary(fields)
  if (summary.message_id !== message_id) throw new OddAnswer('it is about another message')
  const { prompt, response, status, sources, calls, progress } = fields
  return present({
    ...summary,
    prompt: textOf(prompt),
    response: textOf(response),
    status: statusText(status),
    sources: Array.isArray(sources)
      ? sources.flatMap((source) => sourceOf(source) ?? [])
      : undefined,
    calls: countOf(calls),
    done: countOf(((progress ?? {}) as Fields).done),
  })
}

/** Of a source that cannot be understood, nothing is known. */
function sourceOf(value: unknown): SourceRead | undefined {
  const { asset_id, read, places, why } = (value ?? {}) as Fields
  const amount = amounts_read.find((known) => known === read)
  if (!isId('asset', asset_id) || amount === undefined) return undefined
  const named = Array.isArray(places)
    ? places.slice(0, max_places).flatMap((place) => humaneOf(place) ?? [])
    : []
  const reason = humaneOf(why)
  return {
    asset_id,
    read: amount,
    ...(named.length > 0 && { places: named }),
    ...(reason !== undefined && { why: reason }),
  }
}

function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined
}

/** The hosted service calls a message's id `id`. */
function messageSummary({ message_id, id, created_at }: Fields) {
  return present({
    message_id: idOf('message', message_id ?? id),
    created_at_ms: timeOf_ms(created_at),
  })
}
