import { messageOf, SluiceError } from '../../base/run/errors.ts'
import { counted } from '../../base/text/format.ts'
import { scrubText } from '../../base/text/scrub.ts'
import { type Clock, day_ms, hour_ms } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import type { AskedQuestion } from '../../control/control-verbs.ts'
import { mayReadNames } from '../../domain/asset-name.ts'
import { withLedgerView } from '../../status/with-view.ts'
import type { PageStore } from '../access/page-store.ts'
import { maySee, seenBy, type Viewer } from '../access/viewer.ts'
import { forReader } from './for-reader.ts'
import { type Asked, type AskWish, type KeptQuestion, QuestionRows } from './question-rows.ts'
import { notThere, withDaemon } from './with-daemon.ts'

/** An answer is also in the assistant's own chats, so it need not be kept for ever. */
const kept_ms = 90 * day_ms
const max_question_characters = 4_000
/** One user may not occupy the service with many questions at a time. */
const max_open = 3

const answer_not_shown =
  'this answer is not shown to you: the service has files that it was asked over under names of folders that you do not see, or under names that Sluice does not know, and the answer may tell them; ask again for an answer without these files'

const wrong = (message: string, hint: string) =>
  new SluiceError({ code: 'page.question', message, hint })

interface AskingTools {
  config: Config
  store: PageStore
  clock: Clock
}

/** Questions of the page's users, kept in page.db, and asked by the daemon. */
export class Asking {
  readonly #tools: AskingTools
  readonly #rows: QuestionRows
  readonly #waiting = new Map<number, Promise<unknown>>()

  constructor(tools: AskingTools) {
    this.#tools = tools
    this.#rows = new QuestionRows(tools.store.database, tools.clock.now_ms() - kept_ms)
  }

  /**
   * Begins to ask; the answer comes later. A viewer of some folders never asks the whole project,
   * nor by label, because a label leads to files of other folders. Errors: `page.asked_enough`,
   * `page.question`, `page.not_there`.
   */
  async begin(viewer: Viewer, wish: AskWish): Promise<number> {
    this.#refuseOddWish(viewer, wish)
    const before = wish.after === undefined ? undefined : await this.one(viewer, wish.after)
    this.#refuseTooMany(viewer)
    const { folders: known } = this.#tools.config
    const own = known.map(({ name }) => name).filter((name) => maySee(viewer, name))
    const folders = foldersOf(wish, own)
    const is_wide = folders === undefined || wish.label !== '' || before?.over === 'all'
    // The answer may use what was said in the chat before.
    const over = is_wide ? 'all' : [...new Set([...folders, ...(before?.over ?? [])])]
    const id = this.#rows.insert(keyOf(viewer), this.#tools.clock.now_ms(), wish, over)
    const question = { ...questionOf(wish, folders, before?.answer?.chat_id), sees: seenBy(viewer) }
    // The page may close before the answer comes, and its database with it.
    const ended = this.#ask(id, viewer, question)
      .catch(() => {})
      .finally(() => this.#waiting.delete(id))
    this.#waiting.set(id, ended)
    return id
  }

  async #ask(id: number, viewer: Viewer, question: AskedQuestion): Promise<void> {
    const config = this.#tools.config
    try {
      const answer = await withDaemon({ config }, (daemon) => daemon.ask(question))
      this.#rows.answer(id, answer)
      if (viewer.folders !== 'all') await this.#namingOf(this.#rows.one(keyOf(viewer), id), 0)
    } catch (error) {
      const message = messageOf(error)
      const shown = viewer.role === 'reader' ? forReader({ message }, config).message : message
      this.#rows.fail(id, scrubText(shown))
    }
  }

  #refuseOddWish(viewer: Viewer, { question, folders, label }: AskWish): void {
    refuseOddQuestion(question)
    const known = new Set(this.#tools.config.folders.map(({ name }) => name))
    if (!folders.every((name) => maySee(viewer, name) && known.has(name))) throw notThere()
    if (viewer.folders === 'all') return
    if (label !== '')
      throw wrong('only who sees all folders may ask by label', 'leave the label out')
    if (viewer.folders.length === 0)
      throw wrong('you may see no folder yet', 'ask the administrator for one')
  }

  #refuseTooMany(viewer: Viewer): void {
    const limit = this.#tools.config.page.readers_ask
    const asked = this.#rows.countSince(keyOf(viewer), this.#tools.clock.now_ms() - hour_ms)
    const is_over = viewer.role === 'reader' && asked >= limit
    if (!is_over && this.#rows.countOpen(keyOf(viewer)) < max_open) return
    const message = is_over
      ? `you have asked ${counted(asked, 'question')} in the last hour, and no more are allowed`
      : `${max_open} of your questions are not answered yet`
    throw new SluiceError({ code: 'page.asked_enough', message, hint: 'try again later' })
  }

  /**
   * A question with its answer. The answer is left out if it may have the name of a file in a
   * folder that the viewer does not see. Error `page.not_there`, also for another user's question.
   */
  async one(viewer: Viewer, id: number): Promise<Asked> {
    const asked = this.#rows.one(keyOf(viewer), id)
    if (!asked || !maySeeAnswer(viewer, asked)) throw notThere()
    if (viewer.folders === 'all' || !asked.answer) return asked
    // An earlier version kept no names. The assets may have had any of their names then.
    const naming = await this.#namingOf(asked, 1)
    if (mayReadNames(naming, (folder) => maySee(viewer, folder))) return asked
    return { ...asked, answer: undefined, error: answer_not_shown }
  }

  /**
   * The folders that the service has names of the sources from (`foldersNaming`), also those of the
   * questions before it in the chat. They are kept beside the answer, once they are known.
   */
  async #namingOf(asked: KeptQuestion | undefined, with_past: 0 | 1): Promise<(string | null)[]> {
    if (!asked) return [null]
    const { id, user, wish, answer, naming: kept } = asked
    if (kept || !answer) return kept ?? []
    const before =
      wish.after === undefined ? [] : await this.#namingOf(this.#rows.one(user, wish.after), 1)
    const own = await withLedgerView(this.#tools.config.state_dir, (view) =>
      answer.sources.flatMap(({ asset_id, name }) =>
        view ? view.naming(asset_id, name, with_past) : [null],
      ),
    )
    const naming = [...new Set([...before, ...own])]
    this.#rows.answer(id, { ...answer, naming })
    return naming
  }

  /** Ends what an earlier page has asked: its answers do not come here. */
  endOpen(): void {
    this.#rows.failOpen(
      'the page was started again before the answer came; it may be in the chats of the assistant',
    )
  }

  list(viewer: Viewer): Asked[] {
    return this.#rows.newest(keyOf(viewer)).filter((asked) => maySeeAnswer(viewer, asked))
  }

  /** Resolves when the question has its answer or its error. */
  async ended(id: number): Promise<void> {
    await this.#waiting.get(id)
  }
}

/** Error `page.question`. */
export function refuseOddQuestion(question: string): void {
  if (question.trim() === '') throw wrong('the question is empty', 'write what you want to know')
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
