import type { Sqlite } from '../../base/files/sqlite.ts'
import { statementsOf } from './database.ts'
import { type Listing, removeListed, sqlListing } from './paging.ts'

export interface ChatRow {
  seq: number
  chat_id: string
  project: number
  title: string | null
  created_at_ms: number
  /** The end of the last turn; null until the first turn has ended. */
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
  /** JSON of TurnOptions; null for a turn from before options were stored. */
  options: string | null
  status: 'running' | 'done' | 'error'
  /** The time of the next attempt to answer, and the number of failed attempts. */
  answer_due_ms: number
  attempts: number
  /** Of an ended turn: its answer, or the reason why it failed. */
  response: string | null
  /** How many calls the model has answered for it. */
  calls: number
  /** How many more there will be, as far as known, while files are read in batches. */
  calls_left: number | null
  /** JSON of TurnRecord; null for a turn without. */
  outcome: string | null
}

/** How a turn ended. `calls`: those that were not counted before. */
export interface EndedTurn {
  status: 'done' | 'error'
  response: string | null
  calls: number
  outcome: string | null
}

export function openChatStore(database: Sqlite) {
  const { one, all, values, run } = statementsOf(database)

  return {
    insert: (project: number, chat_id: string, created_at_ms: number) =>
      Number(
        run(
          'INSERT INTO chats (chat_id, project, created_at_ms) VALUES (?, ?, ?)',
          chat_id,
          project,
          created_at_ms,
        ).lastInsertRowid,
      ),
    find: (project: number, chat_id: string) =>
      one<ChatRow>('SELECT * FROM chats WHERE chat_id = ? AND project = ?', chat_id, project),
    /** True if all turns of the chat come from this user. */
    isOf(chat: number, user: number) {
      const askers = values(
        `SELECT DISTINCT json_extract(options, '$.user') FROM messages WHERE chat = ? LIMIT 2`,
        chat,
      )
      return askers.length === 1 && askers[0] === user
    },
    rename: (seq: number, title: string) =>
      void run('UPDATE chats SET title = ? WHERE seq = ?', title, seq),
    remove: (chat: ChatRow) => removeListed(database, 'chats', { ...chat, id: chat.chat_id }),
    listing(project: number): Listing<ChatRow, number> {
      const table = {
        from: 'chats',
        where: 'project = @project',
        by: 'seq',
        id: 'chat_id',
        newest_first: true,
      }
      return sqlListing(database, table, { project })
    },
    append: (
      chat: number,
      message: Omit<
        MessageRow,
        'seq' | 'chat' | 'status' | 'attempts' | 'response' | 'calls' | 'calls_left' | 'outcome'
      >,
    ) =>
      void run(
        `INSERT INTO messages (message_id, chat, created_at_ms, answer_due_ms, prompt, scope, options, status)
         VALUES (@message_id, @chat, @created_at_ms, @answer_due_ms, @prompt, @scope, @options, 'running')`,
        { ...message, chat },
      ),
    messages: (chat: number) =>
      all<MessageRow>('SELECT * FROM messages WHERE chat = ? ORDER BY seq', chat),
    findMessage: (chat: number, message_id: string) =>
      all<MessageRow>(
        'SELECT * FROM messages WHERE message_id = ? AND chat = ?',
        message_id,
        chat,
      )[0],
    removeMessage: (seq: number) => void run('DELETE FROM messages WHERE seq = ?', seq),
    /** Answered turns before `before_seq` in these chats or in these projects, newest first. */
    answeredTurns(
      where: { chats: readonly number[] } | { projects: readonly number[] },
      before_seq: number,
      limit: number,
    ) {
      const [column, places] =
        'chats' in where ? ['chat', where.chats] : ['project', where.projects]
      if (places.length === 0) return []
      return all<MessageRow>(
        `SELECT messages.* FROM messages JOIN chats ON chats.seq = chat
         WHERE status = 'done' AND ${column} IN (SELECT value FROM json_each(?)) AND messages.seq < ?
         ORDER BY messages.seq DESC LIMIT ?`,
        JSON.stringify(places),
        before_seq,
        limit,
      )
    },
    /** The oldest turn without an answer of each chat, by due time. Later turns wait for it. */
    unanswered: (limit: number) =>
      all<MessageRow & { project: number }>(
        `SELECT messages.*, chats.project FROM messages JOIN chats ON chats.seq = chat
         WHERE status = 'running' AND NOT EXISTS (
           SELECT 1 FROM messages AS earlier
           WHERE earlier.chat = messages.chat AND earlier.seq < messages.seq AND earlier.status = 'running')
         ORDER BY answer_due_ms, messages.seq LIMIT ?`,
        limit,
      ),
    /** Counts a failed attempt, and sets the time of the next one. */
    defer: (seq: number, answer_due_ms: number) =>
      void run(
        `UPDATE messages SET answer_due_ms = ?, attempts = attempts + 1 WHERE seq = ? AND status = 'running'`,
        answer_due_ms,
        seq,
      ),
    /** Ends a turn: writes its answer and the chat's `modified_at`, unless it was removed. */
    end({ seq, chat }: MessageRow, ended: EndedTurn, now_ms: number) {
      const { changes } = run(
        `UPDATE messages SET status = @status, response = @response, calls = calls + @calls, outcome = @outcome,
           calls_left = NULL WHERE seq = @seq AND status = 'running'`,
        { ...ended, seq },
      )
      run('DELETE FROM reading_notes WHERE message = ?', seq)
      if (changes > 0) run('UPDATE chats SET modified_at_ms = ? WHERE seq = ?', now_ms, chat)
    },
  }
}

/** A part of the text of a file that a model was given; `of` is the length of the whole text. */
export interface ReadPiece {
  asset: number
  from: number
  to: number
  of: number
  /** Where it stands in the file; absent if it is the whole text. */
  place?: string
}

/** An answer of a model on the way to that of a turn. */
export interface NotesRow {
  seq: number
  /** 0: about pieces of files; from 1 on: about rows of the level below. */
  level: number
  /** JSON of ReadPiece[], or of the numbers of rows. */
  covers: string
  notes: string
  /** JSON of MessageWarning[], about the answer. */
  warnings: string
}

/** What turns have read so far. A row is there as soon as its call was paid for. */
export function openReadingNotes(database: Sqlite) {
  const { all, value, run } = statementsOf(database)

  return {
    of: (message: number, level: number) =>
      all<NotesRow>(
        'SELECT * FROM reading_notes WHERE message = ? AND level = ? ORDER BY seq',
        message,
        level,
      ),
    /** The time of the newest one; null without any. */
    newest_ms: (message: number) =>
      value<number | null>(
        'SELECT max(created_at_ms) FROM reading_notes WHERE message = ?',
        message,
      ),
    /** Also counts the call. Returns the number of the row; undefined if the turn was removed. */
    add(message: number, row: Omit<NotesRow, 'seq'>, now_ms: number): number | undefined {
      const { changes, lastInsertRowid } = run(
        `INSERT INTO reading_notes (message, level, covers, notes, warnings, created_at_ms)
         SELECT seq, @level, @covers, @notes, @warnings, @now_ms FROM messages WHERE seq = @message AND status = 'running'`,
        { ...row, message, now_ms },
      )
      if (changes === 0) return undefined
      run('UPDATE messages SET calls = calls + 1 WHERE seq = ?', message)
      return Number(lastInsertRowid)
    },
    /** Notes how many calls are left, as far as known. */
    setLeft: (message: number, calls_left: number) =>
      run(
        `UPDATE messages SET calls_left = ? WHERE seq = ? AND status = 'running'`,
        calls_left,
        message,
      ),
  }
}
