import { Transform, type TransformCallback } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { invalid_request, parse_error, rpcError } from './json-rpc.ts'

/** Characters of a line, as the package limits a message. */
const max_line = 10 * 2 ** 20

/**
 * Passes on the lines of an agent that are messages, and answers the others with an error. The
 * package drops these, and the agent would wait for ever. `parse` throws for what is no message.
 */
export function messageLines(
  parse: (message: unknown) => unknown,
  answer: (error: object) => void,
): Transform {
  const decoder = new StringDecoder('utf8')
  /** The begin of a line. */
  let rest = ''

  function transform(this: Transform, chunk: Buffer, _: string, done: TransformCallback): void {
    const lines = `${rest}${decoder.write(chunk)}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines.filter((text) => text.trim() !== '')) {
      try {
        parse(JSON.parse(line))
        this.push(`${line}\n`)
      } catch (error) {
        const is_json = !(error instanceof SyntaxError)
        const code = is_json ? invalid_request : parse_error
        answer(rpcError(code, `this line is no ${is_json ? 'message of JSON-RPC' : 'JSON'}`))
      }
    }
    if (rest.length > max_line) {
      rest = ''
      answer(rpcError(invalid_request, 'a message is longer than 10 MiB'))
    }
    done()
  }

  return new Transform({ transform })
}
