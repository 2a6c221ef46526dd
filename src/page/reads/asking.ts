import { messageOf, SluiceError } from '../../base/run/errors.ts'
import { counted } from '../../base/text/format.ts'
import { scrubText } from '../../base/text/scrub.ts'
import { type Clock, day_ms, hour_ms } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import type { AskAnswer, AskedQuestion } from '../../control/control-verbs.ts'
import type { PageStore } from '../access/page-store.ts'
import { maySee, type Viewer } from '../access/viewer.ts'
import { forReader } from './for-reader.ts'
import { notThere, withDaemon } from './with-daemon.ts'

/** A question of a user. Without `folders` it is about all that they see. */
export interface AskWish {
  question: string
  folders: readonly string[]
  /** A pattern as in .gitignore; an empty text: every file. */
  path: string
  /** A label of the service; an empty text: none. Only for who sees all folders. */
  label: string
  /** Only files that came in within this time. */
  within_ms?: number | undefined
  /** The question of the same user to go on from. */
  after?: number | undefined
}

export interface Asked {
  id: number
  /** The folders of this question and of those before it in the chat; `all`: the project. */
  over: readonly string[] | 'all'
  asked_ms: number
  wish: AskWish
  /** Undefined while it is waited for, and after an error. */
  answer: AskAnswer | undefined
  error: string | undefined
}

/** An answer is also in the assistant's own chats, so it need not be kept for ever. */
const kept_ms = 90 * day_ms
const max_question_characters = 4_000
/** One user may not occupy the service with many questions at a time. */
const max_open = 3

const wrong = (message: string, hint: string) =>
  new SluiceError({ code: 'page.question', message, hint })

export type Asking = ReturnType<typeof createAsking>

/** Questions of the page's users, kept in page.db, and asked by the daemon. */
export function createAsking({
  config,
  store,
  clock,
}: {
  config: Config
  store: PageStore
  clock: Clock
}) {
  const { database } = store
  const of_user = database.prepare(
    'SELECT * FROM questions WHERE user = ? ORDER BY id DESC LIMIT 50',
  )
  const one_sql = database.prepare('SELECT * FROM questions WHERE user = ? AND id = ?')
  const lately = database
    .prepare('SELECT count(*) FROM questions WHERE user = ? AND asked_ms > ?')
    .pluck()
  const open_sql = database
    .prepare('SELECT count(*) FROM questions WHERE user = ? AND answer IS NULL AND error IS NULL')
    .pluck()
  const insert = database.prepare(
    'INSERT INTO questions (user, asked_ms, wish, over) VALUES (?, ?, ?, ?)',
  )
  const end = database.prepare('UPDATE questions SET answer = ?, error = ? WHERE id = ?')
  const waiting = new Map<number, Promise<unknown>>()
  database.prepare('DELETE FROM questions WHERE asked_ms < ?').run(clock.now_ms() - kept_ms)

  /**
   * Begins to ask; the answer comes later. A viewer of some folders never asks the whole project, nor
   * by label, because a label leads to files of other folders. Errors: `page.asked_enough`,
   * `page.question`, `page.not_there`.
   */
  function begin(viewer: Viewer, wish: AskWish): number {
    refuseOddWish(viewer, wish)
    refuseTooMany(viewer)
    const before = wish.after === undefined ? undefined : one(viewer, wish.after)
    const chat_id = before?.answer?.chat_id
    const own = config.folders.map(({ name }) => name).filter((name) => maySee(viewer, name))
    const folders = foldersOf(wish, own)
    const is_wide = folders === undefined || wish.label !== '' || before?.over === 'all'
    // The answer may use what was said in the chat before.
    const over = JSON.stringify(
      is_wide ? 'all' : [...new Set([...folders, ...(before?.over ?? [])])],
    )
    const id = Number(
      insert.run(keyOf(viewer), clock.now_ms(), JSON.stringify(wish), over).lastInsertRowid,
    )
    const told = (message: string) =>
      viewer.role === 'reader' ? forReader({ message }, config).message : message
    const sees = viewer.folders === 'all' ? undefined : viewer.folders
    const done = withDaemon({ config }, (daemon) =>
      daemon.ask({ ...questionOf(wish, folders, chat_id), sees }),
    ).then(
      (answer) => end.run(JSON.stringify(answer), null, id),
      (error: unknown) => end.run(null, scrubText(told(messageOf(error))), id),
    )
    // The page may close before the answer comes, and its database with it.
    const ended = done.catch(() => {}).finally(() => waiting.delete(id))
    waiting.set(id, ended)
    return id
  }

  function refuseOddWish(viewer: Viewer, { question, folders, label }: AskWish): void {
    refuseOddQuestion(question)
    if (
      !folders.every(
        (name) => maySee(viewer, name) && config.folders.some((folder) => folder.name === name),
      )
    )
      throw notThere()
    if (viewer.folders === 'all') return
    if (label !== '')
      throw wrong('only who sees all folders may ask by label', 'leave the label out')
    if (viewer.folders.length === 0)
      throw wrong('you may see no folder yet', 'ask the administrator for one')
  }

  function refuseTooMany(viewer: Viewer): void {
    const limit = config.page.readers_ask
    const asked = lately.get(keyOf(viewer), clock.now_ms() - hour_ms) as number
    const is_over = viewer.role === 'reader' && asked >= limit
    if (!is_over && (open_sql.get(keyOf(viewer)) as number) < max_open) return
    const message = is_over
      ? `you have asked ${counted(asked, 'question')} in the last hour, and no more are allowed`
      : `${max_open} of your questions are not answered yet`
    throw new SluiceError({ code: 'page.asked_enough', message, hint: 'try again later' })
  }

  /** Error `page.not_there`, also for a question of somebody else. */
  function one(viewer: Viewer, id: number): Asked {
    const row = one_sql.get(keyOf(viewer), id)
    const asked = row === undefined ? undefined : askedOf(row)
    if (!asked || !maySeeAnswer(viewer, asked)) throw notThere()
    return asked
  }

  return {
    begin,
    one,
    /** Ends what an earlier page has asked: its answers do not come here. */
    endOpen: (): void =>
      void database.exec(
        `UPDATE questions SET error = 'the page was started again before the answer came; it may be in the chats of the assistant' WHERE answer IS NULL AND error IS NULL`,
      ),
    list: (viewer: Viewer): Asked[] =>
      of_user
        .all(keyOf(viewer))
        .map(askedOf)
        .filter((asked) => maySeeAnswer(viewer, asked)),
    /** Resolves when the question has its answer or its error. */
    ended: async (id: number): Promise<void> => void (await waiting.get(id)),
  }
}

/** Error `page.question`. */
export function refuseOddQuestion(question: string): void {
  if (question.trim() === '') throw wrong('there is no question', 'write what you want to know')
  if (question.length > max_question_characters)
    throw wrong(`a question has at most ${max_question_characters} characters`, 'shorten it')
}

/** By folders the answer has sources. Undefined by label, which leads to files of every folder. */
export function foldersOf(
  { folders, label }: AskWish,
  own: readonly string[],
): readonly string[] | undefined {
  return folders.length > 0 ? folders : label === '' ? own : undefined
}

/** The question for the daemon. `folders`: undefined for the whole project. */
export function questionOf(
  { question: text, path, label, within_ms }: AskWish,
  folders: readonly string[] | undefined,
  chat_id?: string,
): AskedQuestion {
  return {
    text,
    folders,
    paths: path === '' ? [] : [path],
    labels: label === '' ? [] : [label],
    within_ms,
    chat_id,
  }
}

/** The operator by link and a user of that name are different people. */
function keyOf({ name, by }: Viewer): string {
  return by === 'link' ? ' link' : name
}

/** False once the viewer has lost one of the folders that the answer is about. */
function maySeeAnswer(viewer: Viewer, { over }: Asked): boolean {
  return over === 'all' ? viewer.folders === 'all' : over.every((name) => maySee(viewer, name))
}

function askedOf(row: unknown): Asked {
  type Texts = Record<'wish' | 'over', string> & Record<'answer' | 'error', string | null>
  const { id, asked_ms, wish, over, answer, error } = row as {
    id: number
    asked_ms: number
  } & Texts
  return {
    id,
    asked_ms,
    wish: JSON.parse(wish) as AskWish,
    over: JSON.parse(over) as Asked['over'],
    answer: answer === null ? undefined : (JSON.parse(answer) as AskAnswer),
    error: error ?? undefined,
  }
}
