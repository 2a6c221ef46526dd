import type { Received, Reply } from '../outside-server.ts'
import { completion, json, type OutsideServer, outsideServer } from '../outside-server.ts'

export interface FactModelOptions {
  /** Longer prompts, in characters, are refused as too long. */
  limit?: number
  /** An answer is cut there. */
  write?: number
  liar?: 'subset' | 'silent' | 'repeat'
  usage?: (chars: number) => object
  /** What it answers from notes. */
  closing?: string
}

interface SeenCall {
  chars: number
  prompt: string
  is_answered: boolean
}

export interface FactModel extends OutsideServer {
  calls: SeenCall[]
  answered(): SeenCall[]
  /** Holds all answers after so many, until the function that it returns is called. */
  hold(after: number): () => void
  /** Answers otherwise after so many answers. */
  failAfter(count: number, reply: Reply): void
}

/**
 * A model that knows only what stands in its prompt: it repeats each line with a mark such as
 * FACT-0007. A real server, so that its calls can be counted.
 */
export async function factModel(options: FactModelOptions = {}): Promise<FactModel> {
  const { limit = 24_000, write = 12_000, liar, usage, closing } = options
  const calls: SeenCall[] = []
  let first: string | undefined
  let held: { after: number; replies: (() => void)[] } | undefined
  let failing: { after: number; reply: Reply } | undefined
  const answer: Reply = (response, received) => {
    if (failing && calls.length >= failing.after) {
      failing.reply(response, received)
      return
    }
    const prompt = promptOf(received)
    const call = { chars: prompt.length, prompt, is_answered: false }
    calls.push(call)
    if (prompt.length > limit) {
      json({ error: { code: 'context_length_exceeded', message: 'shorter' } }, 400)(
        response,
        received,
      )
      return
    }
    const facts =
      liar === 'subset' ? factsIn(prompt).filter((_, at) => at % 4 !== 3) : factsIn(prompt)
    const text = `Marks: ${facts.length}\n\n${facts.map((line) => `- ${line}`).join('\n')}`
    first ??= text.slice(0, write)
    const said = liar === 'silent' ? '' : liar === 'repeat' ? first : text.slice(0, write)
    const is_closing = closing !== undefined && prompt.startsWith('You answer')
    const reply = () => {
      call.is_answered = true
      completion(is_closing ? closing : said, 'stop', usage?.(prompt.length))(response, received)
    }
    if (held && calls.length > held.after) held.replies.push(reply)
    else reply()
  }
  const server = await outsideServer(answer)
  return Object.assign(server, {
    calls,
    answered: () => calls.filter((call) => call.is_answered),
    hold(after: number) {
      const replies: (() => void)[] = []
      held = { after, replies }
      return () => {
        held = undefined
        for (const reply of replies) reply()
      }
    },
    failAfter(count: number, reply: Reply) {
      failing = { after: count, reply }
    },
  })
}

export function promptOf({ body }: Received): string {
  return (body.messages as { content: string }[]).map(({ content }) => content).join('\n')
}

/** Each line with a mark, once, in the order of the marks. */
export function factsIn(text: string): string[] {
  const facts = new Map<string, string>()
  for (const [line, mark] of text.matchAll(/(FACT-\d{4})[^\n]{0,150}/g))
    facts.set(mark!, line.trim())
  return [...facts.keys()].sort().map((mark) => facts.get(mark)!)
}
