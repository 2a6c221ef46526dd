import { Transform, type TransformCallback } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { invalid_request, parse_error, rpcError } from './json-rpc.ts'

/** Characters of a line, as the package limits a message. */
const max_line = 10 * 2 ** 20

/**
 * Passes on the lines of an agent that are messages, and answers the others with an error. The
 * package drops these, and the agent would wait for ever.
 */
export class MessageLines extends Transform {
  readonly #decoder = new StringDecoder('utf8')
  /** Throws for what is no message. */
  readonly #parse: (message: unknown) => unknown
  readonly #answer: (error: object) => void
  /** The begin of a line. */
  #rest = ''

  constructor(parse: (message: unknown) => unknown, answer: (error: object) => void) {
    super()
    this.#parse = parse
    this.#answer = answer
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    const lines = `${this.#rest}${this.#decoder.write(chunk)}`.split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines.filter((text) => text.trim() !== '')) {
      const error = this.#errorOf(line)
      if (error === undefined) this.push(`${line}\n`)
      else this.#answer(error)
    }
    if (this.#rest.length > max_line) {
      this.#rest = ''
      this.#answer(rpcError(invalid_request, 'a message is longer than 10 MiB'))
    }
    done()
  }

  #errorOf(line: string): object | undefined {
    let message: unknown
    try {
      message = JSON.parse(line)
    } catch {
      return rpcError(parse_error, 'this line is not valid JSON')
    }
    try {
      this.#parse(message)
      return undefined
    } catch {
      const { id } = Object(message) as { id?: unknown }
      const is_readable = typeof id === 'string' || typeof id === 'number'
      return rpcError(invalid_request, 'this is no message of JSON-RPC', is_readable ? id : null)
    }
  }
}
