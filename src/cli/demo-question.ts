import { basename } from 'node:path'
import { SluiceError } from '../base/errors.ts'
import { type Clock, second_ms } from '../base/time.ts'
import type { Outcome } from '../remote/outcome.ts'
import type { Remote } from '../remote/remote.ts'

/** The local service answers within a second; one that takes longer is gone. */
const patience_ms = 20 * second_ms
const look_ms = 50

export interface DemoQuestion {
  prompt: string
  asset_ids: readonly string[]
}

/** Asks over these assets alone and waits for the answer. Errors `service.*` where there is none in time. */
export async function ask(
  { remote, project_id, clock }: { remote: Remote; project_id: string; clock: Clock },
  { prompt, asset_ids }: DemoQuestion,
): Promise<string> {
  const started = answerOf(await remote.startChat(project_id, { prompt, scope: { asset_ids } }))
  const began_ms = clock.monotonic_ms()
  for (;;) {
    const outcome = await remote.readMessage(project_id, started.chat_id, started.message_id)
    // A read may come a moment too early; anything else that is wrong is told when the time is over.
    if (outcome.ok && outcome.value.state === 'answered') return outcome.value.response ?? ''
    if (outcome.ok && outcome.value.state === 'failed') {
      throw new SluiceError({ code: 'service.answer', message: 'the service could not answer the question' })
    }
    if (clock.monotonic_ms() - began_ms > patience_ms) {
      answerOf(outcome)
      throw new SluiceError({ code: 'service.answer', message: 'the service has not answered the question in time' })
    }
    await clock.sleep(look_ms)
  }
}

/** What the service answered, or the reason why not as an error. */
export function answerOf<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value
  const { about, message, humane } = outcome.failure
  throw new SluiceError({
    code: `service.${about}`,
    message: [message, humane].filter((text) => text !== undefined).join(': '),
  })
}

const most_words = 3

/** For a folder that nobody knows: a question about the words that its files are most often named by. */
export function questionAbout(paths: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const path of paths) {
    const words = basename(path)
      .toLowerCase()
      .replace(/\.[a-z0-9]{1,5}$/, '')
      .match(/\p{L}{4,}/gu)
    for (const word of new Set(words ?? [])) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const words = [...counts].sort((a, b) => b[1] - a[1]).slice(0, most_words)
  const about = words.length > 0 ? words.map(([word]) => word).join(', ') : 'the most important points'
  return `What do these files say about ${about}?`
}
