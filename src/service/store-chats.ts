import type { Sqlite } from '../base/sqlite.ts'
import type { Listing } from './paging.ts'
import { seqListing } from './seq-listing.ts'

export interface ChatRow {
  seq: number
  chat_id: string
  project: number
  title: string | null
  created_at_ms: number
  /** The end of the last turn; null until the first ended. */
  modified_at_ms: number | null
}

export interface MessageRow {
  seq: number
  message_id: string
  chat: number
  created_at_ms: number
  prompt: string
  /** JSON of a ChatScope; null for the whole project. */
  scope: string | null
  /** JSON of TurnOptions; null for a turn that is older than they are. */
  options: string | null
  status: 'running' | 'done' | 'error'
  /** When the next attempt to answer it is due, and how many were in vain. */
  answer_due_ms: number
  attempts: number
  response: string | null
}

interface NewMessage {
  message_id: string
  created_at_ms: number
  answer_due_ms: number
  prompt: string
  scope: string | null
  options: string
}

/** What was said in these chats, or in every chat of these projects. */
type SaidWhere = { chats: readonly number[] } | { projects: readonly number[] }

export interface ChatStore {
  insert(project: number, chat_id: string, created_at_ms: number): number
  find(project: number, chat_id: string): ChatRow | undefined
  /** Whether this user, and nobody else, has asked in it. */
  isOf(chat: number, user: number): boolean
  rename(seq: number, title: string): void
  remove(chat: ChatRow): void
  listing(project: number): Listing<ChatRow, number>
  /** Oldest first. */
  inProject(project: number): ChatRow[]
  append(chat: number, message: NewMessage): void
  messages(chat: number): MessageRow[]
  findMessage(chat: number, message_id: string): MessageRow | undefined
  removeMessage(seq: number): void
  /** Answered turns before this one, newest first. */
  said(where: SaidWhere, before_seq: number, limit: number): MessageRow[]
  /** Those that are due first; a turn whose chat has an earlier one without an answer waits for that. */
  unanswered(limit: number): (MessageRow & { project: number })[]
  /** Another attempt was in vain; the next is due then. */
  setBack(seq: number, answer_due_ms: number): void
  /** Writes the answer and moves the chat's `modified_at`; a message removed meanwhile stays removed. */
  answer(message: MessageRow, status: 'done' | 'error', response: string | null, now_ms: number): void
}

export function openChatStore(database: Sqlite): ChatStore {
  const sql = {
    insert: database.prepare('INSERT INTO chats (chat_id, project, created_at_ms) VALUES (?, ?, ?)'),
    find: database.prepare('SELECT * FROM chats WHERE chat_id = ? AND project = ?'),
    askers: database
      .prepare(`SELECT DISTINCT json_extract(options, '$.user') FROM messages WHERE chat = ? LIMIT 2`)
      .pluck(),
    rename: database.prepare('UPDATE chats SET title = ? WHERE seq = ?'),
    note_place: database.prepare('INSERT INTO removed (id, project, position) VALUES (?, ?, ?)'),
    remove: database.prepare('DELETE FROM chats WHERE seq = ?'),
    in_project: database.prepare('SELECT * FROM chats WHERE project = ? ORDER BY seq'),
    append: database.prepare(
      `INSERT INTO messages (message_id, chat, created_at_ms, answer_due_ms, prompt, scope, options, status)
       VALUES (@message_id, @chat, @created_at_ms, @answer_due_ms, @prompt, @scope, @options, 'running')`,
    ),
    messages: database.prepare('SELECT * FROM messages WHERE chat = ? ORDER BY seq'),
    find_message: database.prepare('SELECT * FROM messages WHERE message_id = ? AND chat = ?'),
    remove_message: database.prepare('DELETE FROM messages WHERE seq = ?'),
    said_in_chats: database.prepare(
      `SELECT * FROM messages WHERE status = 'done' AND chat IN (SELECT value FROM json_each(?)) AND seq < ?
       ORDER BY seq DESC LIMIT ?`,
    ),
    said_in_projects: database.prepare(
      `SELECT messages.* FROM messages JOIN chats ON chats.seq = chat
       WHERE status = 'done' AND project IN (SELECT value FROM json_each(?)) AND messages.seq < ?
       ORDER BY messages.seq DESC LIMIT ?`,
    ),
    unanswered: database.prepare(
      `SELECT messages.*, chats.project FROM messages JOIN chats ON chats.seq = chat
       WHERE status = 'running' AND NOT EXISTS (
         SELECT 1 FROM messages AS earlier
         WHERE earlier.chat = messages.chat AND earlier.seq < messages.seq AND earlier.status = 'running')
       ORDER BY answer_due_ms, messages.seq LIMIT ?`,
    ),
    set_back: database.prepare(
      `UPDATE messages SET answer_due_ms = ?, attempts = attempts + 1 WHERE seq = ? AND status = 'running'`,
    ),
    answer: database.prepare(`UPDATE messages SET status = ?, response = ? WHERE seq = ? AND status = 'running'`),
    modified: database.prepare('UPDATE chats SET modified_at_ms = ? WHERE seq = ?'),
  }
  const listing = seqListing<ChatRow>(database, { table: 'chats', columns: '*', id_column: 'chat_id' })

  return {
    insert: (project, chat_id, created_at_ms) =>
      Number(sql.insert.run(chat_id, project, created_at_ms).lastInsertRowid),
    find: (project, chat_id) => sql.find.get(chat_id, project) as ChatRow | undefined,
    isOf(chat, user) {
      const askers = sql.askers.all(chat)
      return askers.length === 1 && askers[0] === user
    },
    rename: (seq, title) => void sql.rename.run(title, seq),
    remove(chat) {
      sql.note_place.run(chat.chat_id, chat.project, chat.seq)
      sql.remove.run(chat.seq)
    },
    listing: (project) => listing(project, true),
    inProject: (project) => sql.in_project.all(project) as ChatRow[],
    append: (chat, message) => void sql.append.run({ ...message, chat }),
    messages: (chat) => sql.messages.all(chat) as MessageRow[],
    findMessage: (chat, message_id) => sql.find_message.get(message_id, chat) as MessageRow | undefined,
    removeMessage: (seq) => void sql.remove_message.run(seq),
    said(where, before_seq, limit) {
      const [statement, places] =
        'chats' in where ? [sql.said_in_chats, where.chats] : [sql.said_in_projects, where.projects]
      if (places.length === 0) return []
      return statement.all(JSON.stringify(places), before_seq, limit) as MessageRow[]
    },
    unanswered: (limit) => sql.unanswered.all(limit) as (MessageRow & { project: number })[],
    setBack: (seq, answer_due_ms) => void sql.set_back.run(answer_due_ms, seq),
    answer(message, status, response, now_ms) {
      if (sql.answer.run(status, response, message.seq).changes > 0) sql.modified.run(now_ms, message.chat)
    },
  }
}
