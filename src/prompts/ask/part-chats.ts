import { printable } from '../../base/text/format.ts'
import type { RunWork } from '../../ledger/prompt-work.ts'
import { chatIdsOf } from '../manifest.ts'
import type { RunTools } from '../run-tools.ts'

type OfRun = Pick<RunWork, 'project_id' | 'prompt' | 'turn' | 'turns' | 'chat_id'>

/** Titles the chat of a part, just asked. A service that refuses it keeps the title of its own. */
export async function titlePart(work: OfRun, chat_id: string, { remote }: RunTools): Promise<void> {
  const { project_id, prompt, turn, turns } = work
  const parts = turns.length - 1
  const is_shared = [work.chat_id, ...turns.slice(0, turn).map((other) => other.chat_id)]
  if (turn >= parts || is_shared.includes(chat_id)) return
  const title = `${printable(prompt)}, part ${turn + 1} of ${parts}`
  await remote.titleChat(project_id, chat_id, title)
}

/**
 * Removes the chats of the parts, once the closing turn has its answer, and returns those that the
 * service does not have any more. A chat in which a user went on stays. It is tried once, and ends
 * with the first failure: the report waits for no chat.
 */
export async function removePartChats(work: OfRun, { remote }: RunTools): Promise<string[]> {
  const { project_id, turns } = work
  const kept = [work.chat_id, turns.at(-1)!.chat_id]
  const ours = new Set(turns.map(({ message_id }) => message_id))
  const removed: string[] = []
  for (const chat_id of chatIdsOf(work).filter((id) => !kept.includes(id))) {
    const listed = await remote.listMessages(project_id, chat_id)
    if (listed.ok && listed.value.some(({ message_id }) => !ours.has(message_id))) continue
    // After a list, a 404 says that the service has no such call.
    const is_gone = listed.ok
      ? (await remote.removeChat(project_id, chat_id)).ok
      : listed.failure.status === 404
    if (!is_gone) break
    removed.push(chat_id)
  }
  return removed
}
