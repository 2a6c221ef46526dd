import { confirm, input, password, select } from '@inquirer/prompts'
import { SluiceError } from '../../base/run/errors.ts'

interface Choice<Value> {
  value: Value
  name: string
  description?: string
}

/**
 * The questions of `init`. Each throws `answer.stopped` after Ctrl-C, Ctrl-D or the end of the
 * input.
 */
export type Dialog = ReturnType<typeof openDialog>

export interface DialogStreams {
  input: NodeJS.ReadableStream
  output: NodeJS.WritableStream
}

/** Choices have numbers, and can be chosen by them. 12 are shown at once; a longer list scrolls. */
const list_form = { theme: { indexMode: 'number' }, pageSize: 12 } as const

export function openDialog(streams: DialogStreams, stopped: AbortSignal) {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  // A prompt whose input ends would otherwise wait for ever.
  const onKey = (_text: unknown, key: { ctrl?: boolean; name?: string } | undefined) => {
    if (key?.ctrl && key.name === 'd') stop()
  }
  streams.input.on('end', stop)
  streams.input.on('keypress', onKey)
  const context = { ...streams, signal: AbortSignal.any([stopping.signal, stopped]) }
  const checked = (fault: ((answer: string) => string | undefined) | undefined) => (answer: string) =>
    fault?.(answer.trim()) ?? true

  async function asked<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer
    } catch (error) {
      const { name } = error as Error
      if (name !== 'ExitPromptError' && name !== 'AbortPromptError') throw error
      throw initStopped(error)
    }
  }

  return {
    /** `fault` says why an answer is wrong, and it is asked again. `usual`: the answer of Enter. */
    text: async (
      message: string,
      { usual, fault }: { usual?: string | undefined; fault?: (answer: string) => string | undefined } = {},
    ) => {
      const config = { message, validate: checked(fault), ...(usual === undefined ? {} : { default: usual }) }
      return (await asked(input(config, context))).trim()
    },
    /** Typed without being seen. */
    secret: async (message: string, fault: (answer: string) => string | undefined) =>
      (await asked(password({ message, mask: false, validate: checked(fault) }, context))).trim(),
    choose: <Value>(message: string, choices: readonly Choice<Value>[]) =>
      asked(select({ ...list_form, message, choices: choices.map((choice) => ({ ...choice })) }, context)),
    confirm: (message: string, usual: boolean) => asked(confirm({ message, default: usual }, context)),
    close() {
      streams.input.off('end', stop)
      streams.input.off('keypress', onKey)
    },
  }
}

/**
 * The end of `init` by Ctrl-C, a signal or the end of its input. Only its last step writes
 * anything.
 */
function initStopped(cause?: unknown): SluiceError {
  return new SluiceError({ code: 'answer.stopped', message: 'stopped: nothing was written', cause })
}

/** Throws `answer.stopped` if the signal has aborted. */
export function refuseStopped(stopped: AbortSignal): void {
  if (stopped.aborted) throw initStopped()
}
