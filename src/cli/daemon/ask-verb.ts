import { SluiceError } from '../../base/run/errors.ts'
import { second_ms, system_clock } from '../../base/time/time.ts'
import type { AskAnswer, AskedQuestion } from '../../control/control-verbs.ts'
import type { Daemon } from '../../daemon/running-daemon.ts'
import { ask } from '../../prompts/ask/ask.ts'
import {
  type FilesInScope,
  filesInScope,
  mayCite,
  narrowingOf,
} from '../../prompts/ask/ask-scope.ts'
import { deletedFiles, withArrivalsView } from '../../status/with-view.ts'

/** A user waits for the answer. */
const polling = { first_ms: 300, max_ms: 3 * second_ms }
const intelligence = 'auto'

/**
 * Asks for a user of the page, by the daemon's connection and token. Errors: those of `ask`, and
 * `answer.names_changed`.
 */
export async function askForUser(
  daemon: Daemon,
  asked: AskedQuestion,
  gone: AbortSignal,
): Promise<AskAnswer> {
  const { text, folders, paths, labels, within_ms, chat_id, sees } = asked
  const { config } = daemon
  const others = { labels, chats: [], concepts: [], projects: [], views: [] }
  const narrowing = narrowingOf({ folders, paths, within_ms, others }, config)
  const found = narrowing.about_files
    ? await withArrivalsView(config.state_dir, (view) =>
        filesInScope({ ...narrowing, sees }, view, system_clock.now_ms()),
      )
    : undefined
  const fields = {
    intelligence,
    provider: undefined,
    skills: [],
    public_data: undefined,
    read: 'search',
  } as const
  const waiting = { ...polling, deadline_ms: config.asking.deadline_ms[intelligence] }
  const deleted = () => deletedFiles(config.state_dir)
  const tools = { remote: daemon.remote(), clock: system_clock, stopped: gone, deleted }
  let answer: AskAnswer | undefined
  for await (const step of ask({ text, narrowing, found, fields, chat_id }, tools, waiting)) {
    if (step.state === 'answered') answer = step.answer
  }
  if (found) await refuseNewNames(found, asked, config.state_dir)
  return { ...answer!, left_out: found?.left_out ?? 0 }
}

/** A file that moved while the service answered may be cited by its new name. */
async function refuseNewNames(
  { files }: FilesInScope,
  { sees }: AskedQuestion,
  state_dir: string,
): Promise<void> {
  const may_cite_all = await withArrivalsView(state_dir, (view) =>
    files.every((file) => view !== undefined && mayCite(file, view, sees)),
  )
  if (may_cite_all) return
  throw new SluiceError({
    code: 'answer.names_changed',
    message: 'a file that the question was about got another name while the service answered',
    hint: 'ask again',
  })
}
