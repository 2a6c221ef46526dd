import { Transform, type TransformCallback } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { invalid_request, parse_error, rpcError } from './json-rpc.ts'

/** Characters of a line, as the package limits a message. */
const max_line = 10 * 2 ** 20

/**
 * Passes on the lines of an agent that are messages, and answers the others with an error. The
 * package drops these, and the agent would wait for ever. `parse` throws for what is no message.
 * The package drops the calls under way when its input ends, so this waits for `allAnswered` first.
 */
export function messageLines(
  parse: (message: unknown) => unknown,
  answer: (error: object) => void,
  allAnswered: () => Promise<unknown>,
): Transform {
  const decoder = new StringDecoder('utf8')
  /** The begin of a line. */
  let rest = ''

  function passOn(to: Transform, line: string): void {
    if (line.trim() === '') return
    try {
      parse(JSON.parse(line))
      to.push(`${line}\n`)
    } catch (error) {
      const is_json = !(error instanceof SyntaxError)
      const code = is_json ? invalid_request : parse_error
      answer(rpcError(code, `this line is no ${is_json ? 'message of JSON-RPC' : 'JSON'}`))
    }
  }

  function transform(this: Transform, chunk: Buffer, _: string, done: TransformCallback): void {
    const lines = `${rest}${decoder.write(chunk)}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) passOn(this, line)
    if (rest.length > max_line) {
      rest = ''
      answer(rpcError(invalid_request, 'a message is longer than 10 MiB'))
    }
    done()
  }

  function flush(this: Transform, done: TransformCallback): void {
    // The last line of a file may have no end.
    passOn(this, rest + decoder.end())
    void allAnswered().then(() => done())
  }

  return new Transform({ transform, flush })
}
