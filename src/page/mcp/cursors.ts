import { createHmac, randomBytes } from 'node:crypto'
import { SluiceError } from '../../base/run/errors.ts'

/** No other process knows it, so a cursor ends with the one that made it. */
const key = randomBytes(32)

/**
 * Places in the lists of one call, for an agent to hand back with the next one. The seal makes sure
 * that this process gave them to the same user, for the same tool and values. They have nothing
 * that the agent may not know.
 */
export class Cursors {
  readonly #call: string

  /** `call`: the user, the tool and its values, as JSON can write them. */
  constructor(call: unknown) {
    this.#call = JSON.stringify(call)
  }

  of(place: unknown): string {
    const text = Buffer.from(JSON.stringify(place)).toString('base64url')
    return `${text}.${this.#seal(text)}`
  }

  /** The place that `of` was given for such a call. Error `usage.cursor`. */
  at<Place>(cursor: string | undefined): Place | undefined {
    if (cursor === undefined) return undefined
    const [text = ''] = cursor.split('.', 1)
    if (cursor === `${text}.${this.#seal(text)}`)
      return JSON.parse(Buffer.from(text, 'base64url').toString()) as Place
    const message = 'this is no next_cursor of this tool with these values'
    const hint = 'leave cursor out to begin with the first page'
    throw new SluiceError({ code: 'usage.cursor', message, hint })
  }

  #seal(text: string): string {
    return createHmac('sha256', key).update(`${this.#call}\n${text}`).digest('base64url')
  }
}
