import { isoTime } from '../../base/time/time.ts'
import { every_file_skill } from '../../contract/every-file-skill.ts'
import type { ChatAppend, TurnRecord } from '../../contract/messages/messages-chats.ts'
import type { AnswerOf, RouteId } from '../../contract/routes/routes.ts'
import { checkScope } from '../assistant/scope.ts'
import { keepOptions, keptOptions } from '../assistant/turn-plan.ts'
import { fault, found } from '../faults/faults.ts'
import type { Profile } from '../options.ts'
import type { Parts } from '../parts.ts'
import { checkRole, type Handlers, type Who } from '../store/access.ts'
import { makeId } from '../store/database.ts'
import { readPage } from '../store/paging.ts'
import type { ChatRow, MessageRow } from '../store/store-chats.ts'
import { reachOf } from './handlers-resources.ts'

type ChatRoutes = Extract<RouteId, `chats.${string}` | `messages.${string}`>

export function chatHandlers(parts: Parts): Handlers<ChatRoutes> {
  const { chats, commits, profile, clock, injected_faults } = parts

  const findChat = (project: number, chat_id: string) =>
    found(chats.find(project, chat_id), 'chat', chat_id)

  function findMessage(
    project: number,
    { chat_id, message_id }: { chat_id: string; message_id: string },
  ): MessageRow {
    const row = chats.findMessage(findChat(project, chat_id).seq, message_id)
    return found(row, 'message', message_id)
  }

  /** Throws for a reader, unless this user alone has asked what the call changes (D-05). */
  function checkOwn({ caller, role }: Who, isOwn: (user: number) => boolean): void {
    if (caller.user === null || !isOwn(caller.user)) checkRole(role, 'collaborator')
  }

  /** The chat with this id. Throws if it does not exist, or the caller may not change it. */
  function changeableChat(who: Who, chat_id: string): ChatRow {
    const row = findChat(who.project, chat_id)
    checkOwn(who, (user) => chats.isOf(row.seq, user))
    return row
  }

  /** Stores a question; its answer is written later. The first one has the time of its chat. */
  function addTurn(who: Who, chat: number, body: ChatAppend, now_ms = clock.now_ms()) {
    checkSkills(parts, who, body.skills)
    const scope = checkScope(parts, who, body.scope)
    const message_id = makeId('message', now_ms)
    const answer_due_ms = now_ms + parts.settings.answer_delay_ms
    const options = keepOptions(body, who.caller)
    chats.append(chat, {
      message_id,
      created_at_ms: now_ms,
      answer_due_ms,
      prompt: body.prompt,
      scope,
      options,
    })
    return { message_id, created_at: isoTime(now_ms) }
  }

  return {
    'chats.start': async (call) => {
      const started = await commits.write(() => {
        const now_ms = clock.now_ms()
        const chat_id = makeId('chat', now_ms)
        const chat = chats.insert(call.project, chat_id, now_ms)
        return { chat_id, ...addTurn(call, chat, call.body, now_ms) }
      })
      parts.wake.answers()
      return started
    },

    'messages.append': async (call) => {
      const appended = await commits.write(() =>
        addTurn(call, findChat(call.project, call.params.chat_id).seq, call.body),
      )
      parts.wake.answers()
      return appended
    },

    'chats.list': ({ project, query }) =>
      readPage(chats.listing(project), query, (row) => chatRecord(row, profile)),

    'chats.read': ({ project, params }) => chatRecord(findChat(project, params.chat_id), profile),

    'chats.update': (call) =>
      commits.write(() => {
        const { project, params, body } = call
        chats.rename(changeableChat(call, params.chat_id).seq, body.title)
        return chatRecord(findChat(project, params.chat_id), profile)
      }),

    'chats.delete': (call) =>
      commits.write(() => chats.remove(changeableChat(call, call.params.chat_id))),

    'messages.list': ({ project, params }) => {
      const rows = chats.messages(findChat(project, params.chat_id).seq)
      return { messages: rows.map((row) => keyed(reference(row), profile)) }
    },

    'messages.read': ({ project, params }) => {
      const row = findMessage(project, params)
      const is_hidden = clock.now_ms() < row.created_at_ms + profile.message_hidden_ms
      found(is_hidden ? undefined : row, 'message', params.message_id)
      const shown = row.status === 'running' ? {} : injected_faults.current.turn_shows
      return { ...keyed(messageRecord(row, profile), profile), ...shown }
    },

    'messages.delete': async (call) => {
      await commits.write(() => {
        const message = findMessage(call.project, call.params)
        checkOwn(call, (user) => keptOptions(message.options).user === user)
        chats.removeMessage(message.seq)
      })
      // The next turn of the chat may have waited for this answer.
      parts.wake.answers()
    },
  }
}

/** Checks that the caller can use these skills and that they are enabled (C-03). */
function checkSkills({ resources, profile }: Parts, who: Who, names: readonly string[] = []): void {
  for (const name of names) {
    if (name === every_file_skill && profile.reads_every_file) continue
    const skill = resources.named(reachOf('skill', who), name)
    if (!skill) throw fault('publicapi.chat.skill.unknown', { name })
    if (skill.enabled === 0) throw fault('publicapi.chat.skill.disabled', { name })
  }
}

function chatRecord({ chat_id, title, created_at_ms, modified_at_ms }: ChatRow, profile: Profile) {
  const shown_ms = modified_at_ms ?? (profile.modified_at_late ? undefined : created_at_ms)
  return {
    chat_id,
    created_at: isoTime(created_at_ms),
    title: title ?? undefined,
    modified_at: shown_ms === undefined ? undefined : isoTime(shown_ms),
  }
}

function reference({ message_id, created_at_ms }: MessageRow) {
  return { message_id, created_at: isoTime(created_at_ms) }
}

/**
 * A record has prompt and response once the answer is written. A failed turn has no prompt, and as
 * response the reason, if that is for users.
 */
function messageRecord(row: MessageRow, profile: Profile): AnswerOf<'messages.read'> {
  const { status, prompt, response } = row
  const base = { ...reference(row), status }
  if (status === 'done' && response !== null)
    return { ...base, prompt, response, ...readingOf(row, profile) }
  return {
    ...base,
    // Without a status, a text would pass for an answer.
    ...(status === 'error' && response !== null && !profile.messages_by_id && { response }),
    ...readingOf(row, profile),
  }
}

/** What the turn has read, and how far it is (C-24 to C-26). */
function readingOf(row: MessageRow, profile: Profile): Partial<AnswerOf<'messages.read'>> {
  const { calls, calls_left, outcome } = row
  if (!profile.reads_every_file) return {}
  if (calls_left !== null) return { calls, progress: { done: calls, of: calls + calls_left } }
  // A turn that was answered before this was recorded says nothing.
  return outcome === null ? {} : { calls, ...(JSON.parse(outcome) as TurnRecord) }
}

/** In the hosted profile, a message has `id` in place of `message_id`, and no status (E-01). */
function keyed<Message extends { message_id: string }>(
  message: Message,
  profile: Profile,
): Message {
  if (!profile.messages_by_id) return message
  const { message_id: id, ...rest } = message
  return { id, ...rest, status: undefined } as unknown as Message
}
