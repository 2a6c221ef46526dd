import { once } from 'node:events'
import { createServer } from 'node:http'

/** Characters. A longer prompt is refused as too long for the context. */
const max_prompt_chars = 24_000
const max_answer_chars = 12_000

/**
 * A model that knows only what stands in its prompt: it repeats each line with a mark such as
 * FACT-0007. A server that speaks as OpenAI does.
 */
export class FactModel {
  /** Answered calls, and the characters of their prompts. */
  calls = 0
  chars = 0
  #server = createServer((request, response) => void this.#answer(request, response))

  static async start() {
    const model = new FactModel()
    model.#server.listen(0, '127.0.0.1')
    await once(model.#server, 'listening')
    return model
  }

  get origin() {
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.#server.address())
    return `http://127.0.0.1:${port}`
  }

  forget() {
    this.calls = 0
    this.chars = 0
  }

  async close() {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request, response) {
    const { messages } = JSON.parse(Buffer.concat(await request.toArray()).toString())
    const prompt = messages.map(({ content }) => content).join('\n')
    const send = (status, body) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (prompt.length > max_prompt_chars)
      return send(400, { error: { code: 'context_length_exceeded', message: 'shorter' } })
    this.calls++
    this.chars += prompt.length
    const facts = new Map()
    for (const [line, mark] of prompt.matchAll(/(FACT-\d{4})[^\n]{0,150}/g)) facts.set(mark, line)
    const lines = [...facts.values()].map((line) => `- ${line.trim()}`)
    const content = [`Marks: ${facts.size}`, '', ...lines].join('\n')
    const message = { role: 'assistant', content: content.slice(0, max_answer_chars) }
    send(200, {
      object: 'chat.completion',
      choices: [{ index: 0, finish_reason: 'stop', message }],
    })
  }
}
