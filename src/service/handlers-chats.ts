import { type Clock, isoTime } from '../base/time.ts'
import type {
  ChatAppend,
  ChatRecord,
  ChatStarted,
  MessageAppended,
  MessageRecord,
  MessageReference,
} from '../contract/messages-chats.ts'
import type { Role } from '../contract/messages-projects.ts'
import type { RouteId } from '../contract/routes.ts'
import type { Caller } from './access.ts'
import type { CommitGroup } from './commit-group.ts'
import { fault } from './faults.ts'
import { type Handlers, no_content } from './handler.ts'
import { reachOf } from './handlers-resources.ts'
import { makeId } from './ids.ts'
import { envelopeOf, readPage } from './paging.ts'
import type { Profile } from './profile.ts'
import { resource_groups } from './resource-groups.ts'
import { checkRole } from './roles.ts'
import { checkScope, type ScopeParts } from './scope.ts'
import type { ChatRow, MessageRow } from './store-chats.ts'
import type { ResourceStore } from './store-resources.ts'
import { keepOptions, keptOptions } from './turn-options.ts'

export interface ChatParts extends ScopeParts {
  resources: ResourceStore
  commits: CommitGroup
  profile: Profile
  clock: Clock
  answer_delay_ms: number
  wakeAnswers: () => void
}

type ChatRoutes = Extract<RouteId, `chats.${string}` | `messages.${string}`>

export function chatHandlers(parts: ChatParts): Handlers<ChatRoutes> {
  const { chats, commits, profile, clock } = parts

  function foundChat(project: number, chat_id: string): ChatRow {
    const row = chats.find(project, chat_id)
    if (!row) throw fault('publicapi.chat.not_found', `There is no chat ${chat_id} in this project.`)
    return row
  }

  function foundMessage(project: number, { chat_id, message_id }: { chat_id: string; message_id: string }): MessageRow {
    const row = chats.findMessage(foundChat(project, chat_id).seq, message_id)
    if (!row) throw fault('publicapi.message.not_found', `There is no message ${message_id} in this chat.`)
    return row
  }

  /** A reader changes what only they have asked, and nothing else (D-05). */
  function checkOwn({ caller, role }: { caller: Caller; role: Role }, isOwn: (user: number) => boolean): void {
    if (caller.user === null || !isOwn(caller.user)) checkRole(role, 'collaborator')
  }

  /** Of the project, and the caller's to change. */
  function changeableChat(call: { caller: Caller; project: number; role: Role }, chat_id: string): ChatRow {
    const row = foundChat(call.project, chat_id)
    checkOwn(call, (user) => chats.isOf(row.seq, user))
    return row
  }

  /** Notes a turn; its answer is written later. The first of a chat is as old as the chat. */
  function addTurn(
    who: { caller: Caller; project: number },
    chat: number,
    body: ChatAppend,
    now_ms = clock.now_ms(),
  ): MessageAppended {
    checkSkills(parts, who, body.skills)
    const scope = checkScope(parts, who, body.scope)
    const message_id = makeId('message', now_ms)
    const answer_due_ms = now_ms + parts.answer_delay_ms
    const options = keepOptions(body, who.caller)
    chats.append(chat, { message_id, created_at_ms: now_ms, answer_due_ms, prompt: body.prompt, scope, options })
    return { message_id, created_at: isoTime(now_ms) }
  }

  return {
    'chats.start': async ({ caller, project, body }) => {
      const started = await commits.write((): ChatStarted => {
        const now_ms = clock.now_ms()
        const chat_id = makeId('chat', now_ms)
        const chat = chats.insert(project, chat_id, now_ms)
        return { chat_id, ...addTurn({ caller, project }, chat, body, now_ms) }
      })
      parts.wakeAnswers()
      return { status: 202, body: started }
    },

    'messages.append': async ({ caller, project, params, body }) => {
      const appended = await commits.write(() =>
        addTurn({ caller, project }, foundChat(project, params.chat_id).seq, body),
      )
      parts.wakeAnswers()
      return { status: 202, body: appended }
    },

    'chats.list': ({ project, query }) => {
      const { rows, has_more } = readPage(chats.listing(project), query)
      const items = rows.map((row) => chatRecord(row, profile))
      return { status: 200, body: envelopeOf(items, has_more, (chat) => chat.chat_id) }
    },

    'chats.read': ({ project, params }) => ({
      status: 200,
      body: chatRecord(foundChat(project, params.chat_id), profile),
    }),

    'chats.update': (call) =>
      commits.write(() => {
        const { project, params, body } = call
        chats.rename(changeableChat(call, params.chat_id).seq, body.title)
        return { status: 200, body: chatRecord(foundChat(project, params.chat_id), profile) }
      }),

    'chats.delete': (call) =>
      commits.write(() => {
        chats.remove(changeableChat(call, call.params.chat_id))
        return no_content
      }),

    'messages.list': ({ project, params }) => {
      const rows = chats.messages(foundChat(project, params.chat_id).seq)
      const messages = rows.map((row) => keyed(reference(row), profile))
      return { status: 200, body: { messages } }
    },

    'messages.read': ({ project, params }) => {
      const row = foundMessage(project, params)
      if (clock.now_ms() < row.created_at_ms + profile.message_hidden_ms) {
        throw fault('publicapi.message.not_found', `There is no message ${params.message_id} in this chat.`)
      }
      return { status: 200, body: keyed(messageRecord(row), profile) }
    },

    'messages.delete': async (call) => {
      await commits.write(() => {
        const message = foundMessage(call.project, call.params)
        checkOwn(call, (user) => keptOptions(message.options).user === user)
        chats.removeMessage(message.seq)
      })
      // The turn behind it may have waited for its answer.
      parts.wakeAnswers()
      return no_content
    },
  }
}

/** Names that the caller can use, and that are on (C-03). */
function checkSkills(
  { resources }: ChatParts,
  who: { caller: Caller; project: number },
  names: readonly string[] | undefined,
): void {
  const reach = reachOf(resource_groups.skills, who)
  for (const name of names ?? []) {
    const skill = resources.named(reach, name)
    if (!skill) throw fault('publicapi.chat.skill.unknown', `There is no skill "${name}" that you can use.`)
    if (skill.enabled === 0) throw fault('publicapi.chat.skill.disabled', `The skill "${name}" is disabled.`)
  }
}

function chatRecord(row: ChatRow, profile: Profile): ChatRecord {
  const modified_at_ms = row.modified_at_ms ?? (profile.modified_at_late ? undefined : row.created_at_ms)
  return {
    chat_id: row.chat_id,
    created_at: isoTime(row.created_at_ms),
    ...(row.title === null ? {} : { title: row.title }),
    ...(modified_at_ms === undefined ? {} : { modified_at: isoTime(modified_at_ms) }),
  }
}

function reference(row: MessageRow): MessageReference {
  return { message_id: row.message_id, created_at: isoTime(row.created_at_ms) }
}

/** Prompt and response come together, once the answer is written; a failed turn has neither response nor words. */
function messageRecord(row: MessageRow): MessageRecord {
  const written = row.status === 'done' && row.response !== null
  return {
    ...reference(row),
    status: row.status,
    ...(written ? { prompt: row.prompt, response: row.response ?? '' } : {}),
  }
}

/** The hosted profile keys messages by `id` and gives them no status (E-01). */
function keyed(message: MessageReference | MessageRecord, profile: Profile): object {
  if (!profile.messages_by_id) return message
  const { message_id, ...rest } = message
  const { status: _, ...shown } = { status: undefined, ...rest }
  return { id: message_id, ...shown }
}
