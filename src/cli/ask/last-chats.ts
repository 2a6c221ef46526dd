import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomic } from '../../base/files/atomic-file.ts'
import { codeOf } from '../../base/run/errors.ts'

/** The chat of the last `sluice ask` for each project, so that `--follow-up` can continue it. */
interface LastChats {
  version: 1
  chats: Record<string, string>
}

export function lastChat(state_dir: string, project_id: string): string | undefined {
  const chat_id = read(state_dir).chats[project_id]
  return typeof chat_id === 'string' ? chat_id : undefined
}

export function rememberChat(state_dir: string, project_id: string, chat_id: string): void {
  // A user may ask before the first sync.
  mkdirSync(state_dir, { recursive: true, mode: 0o700 })
  const chats = { ...read(state_dir).chats, [project_id]: chat_id }
  writeFileAtomic(
    fileIn(state_dir),
    `${JSON.stringify({ version: 1, chats } satisfies LastChats)}\n`,
  )
}

function fileIn(state_dir: string): string {
  return join(state_dir, 'last-chats.json')
}

function read(state_dir: string): LastChats {
  const none: LastChats = { version: 1, chats: {} }
  try {
    const known: unknown = JSON.parse(readFileSync(fileIn(state_dir), 'utf8'))
    const has_chats =
      typeof known === 'object' &&
      known !== null &&
      'chats' in known &&
      typeof known.chats === 'object'
    return has_chats ? { ...none, chats: { ...(known.chats as LastChats['chats']) } } : none
  } catch (error) {
    // Missing, or not ours any more: a convenience is no reason to fail.
    if (codeOf(error) === 'ENOENT' || error instanceof SyntaxError) return none
    throw error
  }
}
