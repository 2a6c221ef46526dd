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
  status: 'running' | 'done' | 'error'
  response: string | null
}

export interface NewMessage {
  message_id: string
  created_at_ms: number
  answer_due_ms: number
  prompt: string
  scope: string | null
}

export interface ChatStore {
  insert(project: number, chat_id: string, created_at_ms: number): number
  find(project: number, chat_id: string): ChatRow | undefined
  rename(seq: number, title: string): void
  remove(chat: ChatRow): void
  listing(project: number): Listing<ChatRow, number>
  /** Oldest first. */
  inProject(project: number): ChatRow[]
  append(chat: number, message: NewMessage): void
  messages(chat: number): MessageRow[]
  findMessage(chat: number, message_id: string): MessageRow | undefined
  removeMessage(seq: number): void
  dueForAnswer(now_ms: number, limit: number): (MessageRow & { project: number })[]
  nextAnswerDue(): number | undefined
  /** Writes the answer and moves the chat's `modified_at`; a message removed meanwhile stays removed. */
  answer(message: MessageRow, status: 'done' | 'error', response: string | null, now_ms: number): void
}

export function openChatStore(database: Sqlite): ChatStore {
  const sql = {
    insert: database.prepare('INSERT INTO chats (chat_id, project, created_at_ms) VALUES (?, ?, ?)'),
    find: database.prepare('SELECT * FROM chats WHERE chat_id = ? AND project = ?'),
    rename: database.prepare('UPDATE chats SET title = ? WHERE seq = ?'),
    note_place: database.prepare('INSERT INTO removed (id, project, position) VALUES (?, ?, ?)'),
    remove: database.prepare('DELETE FROM chats WHERE seq = ?'),
    in_project: database.prepare('SELECT * FROM chats WHERE project = ? ORDER BY seq'),
    append: database.prepare(
      `INSERT INTO messages (message_id, chat, created_at_ms, answer_due_ms, prompt, scope, status)
       VALUES (?, ?, ?, ?, ?, ?, 'running')`,
    ),
    messages: database.prepare('SELECT * FROM messages WHERE chat = ? ORDER BY seq'),
    find_message: database.prepare('SELECT * FROM messages WHERE message_id = ? AND chat = ?'),
    remove_message: database.prepare('DELETE FROM messages WHERE seq = ?'),
    due: database.prepare(
      `SELECT messages.*, chats.project FROM messages JOIN chats ON chats.seq = chat
       WHERE status = 'running' AND answer_due_ms <= ? ORDER BY answer_due_ms, messages.seq LIMIT ?`,
    ),
    next_due: database.prepare(
      `SELECT answer_due_ms AS due FROM messages WHERE status = 'running' ORDER BY answer_due_ms LIMIT 1`,
    ),
    answer: database.prepare(`UPDATE messages SET status = ?, response = ? WHERE seq = ? AND status = 'running'`),
    modified: database.prepare('UPDATE chats SET modified_at_ms = ? WHERE seq = ?'),
  }
  const listing = seqListing<ChatRow>(database, { table: 'chats', columns: '*', id_column: 'chat_id' })

  return {
    insert: (project, chat_id, created_at_ms) =>
      Number(sql.insert.run(chat_id, project, created_at_ms).lastInsertRowid),
    find: (project, chat_id) => sql.find.get(chat_id, project) as ChatRow | undefined,
    rename: (seq, title) => void sql.rename.run(title, seq),
    remove(chat) {
      sql.note_place.run(chat.chat_id, chat.project, chat.seq)
      sql.remove.run(chat.seq)
    },
    listing: (project) => listing(project, true),
    inProject: (project) => sql.in_project.all(project) as ChatRow[],
    append: (chat, { message_id, created_at_ms, answer_due_ms, prompt, scope }) =>
      void sql.append.run(message_id, chat, created_at_ms, answer_due_ms, prompt, scope),
    messages: (chat) => sql.messages.all(chat) as MessageRow[],
    findMessage: (chat, message_id) => sql.find_message.get(message_id, chat) as MessageRow | undefined,
    removeMessage: (seq) => void sql.remove_message.run(seq),
    dueForAnswer: (now_ms, limit) => sql.due.all(now_ms, limit) as (MessageRow & { project: number })[],
    nextAnswerDue: () => (sql.next_due.get() as { due: number } | undefined)?.due,
    answer(message, status, response, now_ms) {
      if (sql.answer.run(status, response, message.seq).changes > 0) sql.modified.run(now_ms, message.chat)
    },
  }
}
