import { second_ms, system_clock } from '../../base/time/time.ts'
import type { AskAnswer, AskedQuestion } from '../../control/control-verbs.ts'
import type { Daemon } from '../../daemon/running-daemon.ts'
import { ask } from '../../prompts/ask/ask.ts'
import { filesInScope, narrowingOf } from '../../prompts/ask/ask-scope.ts'
import { withArrivalsView } from '../../status/with-view.ts'

/** A user waits for the answer. */
const polling = { first_ms: 300, max_ms: 3 * second_ms }
const intelligence = 'auto'

/** Asks for a user of the page, by the daemon's connection and token. Errors: those of `ask`. */
export async function askForUser(
  daemon: Daemon,
  asked: AskedQuestion,
  gone: AbortSignal,
): Promise<AskAnswer> {
  const { text, folders, paths, labels, within_ms, chat_id } = asked
  const { config } = daemon
  const others = { labels, chats: [], concepts: [], projects: [], views: [] }
  const narrowing = narrowingOf({ folders, paths, within_ms, others }, config)
  const found = narrowing.about_files
    ? await withArrivalsView(config.state_dir, (view) =>
        filesInScope(narrowing, view, system_clock.now_ms()),
      )
    : undefined
  const fields = { intelligence, provider: undefined, skills: [], public_data: undefined } as const
  const waiting = { ...polling, deadline_ms: config.asking.deadline_ms[intelligence] }
  const tools = { remote: daemon.remote(), clock: system_clock, stopped: gone }
  let answer: AskAnswer | undefined
  for await (const step of ask({ text, narrowing, found, fields, chat_id }, tools, waiting)) {
    if (step.state === 'answered') answer = step.answer
  }
  return answer!
}
