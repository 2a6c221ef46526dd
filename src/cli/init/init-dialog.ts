import { createInterface } from 'node:readline/promises'
import { isDeepStrictEqual } from 'node:util'
import { password, select } from '@inquirer/prompts'
import { SluiceError } from '../../base/run/errors.ts'
import type { Styles } from '../text/terminal.ts'

interface Choice<Value> {
  value: Value
  name: string
  description?: string
}

/**
 * The questions of `init`. Each throws `stopped.init` after Ctrl-C, Ctrl-D or the end of the
 * input.
 */
export type Dialog = ReturnType<typeof openDialog>

/** Choices have numbers, and can be chosen by them. 12 are shown at once; a longer list scrolls. */
const list_form = { theme: { indexMode: 'number' }, pageSize: 12 } as const

/** The answer that returns to the previous question. No address, token or project begins so. */
const back = '<'

/** Ends the questions up to here; `repeat` asks the previous one again. */
class StepBack extends Error {}

/** An answer of the user, or the result of work between two questions. */
interface Step {
  label: string
  is_answer: boolean
  value: unknown
}

/** The fault of an answer; undefined: none. */
type Found = string | undefined | Promise<string | undefined>
type Fault = (answer: string) => Found

interface TextOptions {
  usual?: string | undefined
  fault?: Fault
  completer?: (line: string) => Promise<[string[], string]>
}

export function openDialog(
  streams: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream },
  stopped: AbortSignal,
  { bold, green, red }: Styles,
) {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  // A prompt whose input ends would otherwise wait for ever.
  const onKey = (_text: unknown, key: { ctrl?: boolean; name?: string } | undefined) => {
    if (key?.ctrl && key.name === 'd') stop()
  }
  streams.input.on('end', stop)
  streams.input.on('keypress', onKey)
  const context = { ...streams, signal: AbortSignal.any([stopping.signal, stopped]) }

  const steps: Step[] = []
  /** Number of steps that this round has passed. */
  let passed = 0
  /** Answers that steps back took away, the next one last. They are the defaults from then on. */
  const withdrawn: Step[] = []
  const canGoBack = () => steps.some(({ is_answer }) => is_answer)

  /** Returns what is known of a step from an earlier round, or takes the step. */
  async function take<Value>(
    label: string,
    is_answer: boolean,
    run: () => Promise<Value>,
  ): Promise<Value> {
    // Another step than in the earlier round: what came after it holds no more.
    if (steps[passed]?.label !== label) steps.length = passed
    steps[passed] ??= { label, is_answer, value: await run() }
    return steps[passed++]!.value as Value
  }

  /** Asks a question with its earlier answer as the default. */
  function asked<Value>(
    label: string,
    ask: (earlier: Value | undefined) => Promise<Value | typeof back>,
  ) {
    return take(label, true, async () => {
      if (withdrawn.at(-1)?.label !== label) withdrawn.length = 0
      const earlier = withdrawn.pop()?.value as Value | undefined
      const answer = await ask(earlier).catch((error: Error) => {
        if (!['ExitPromptError', 'AbortPromptError', 'AbortError'].includes(error.name)) throw error
        throw initStopped(error)
      })
      if (answer === back) {
        if (earlier !== undefined) withdrawn.push({ label, is_answer: true, value: earlier })
        while (steps.at(-1)?.is_answer === false) steps.pop()
        withdrawn.push(steps.pop()!)
        throw new StepBack()
      }
      // Later answers belong to this one: a token to its address, a name to its folder.
      if (!isDeepStrictEqual(answer, earlier)) withdrawn.length = 0
      return answer as Value
    })
  }

  function faultIn(answer: string, fault: Fault | undefined): Found {
    if (answer === back)
      return canGoBack() ? undefined : 'this is the first question: there is none before it'
    return fault?.(answer)
  }

  /**
   * `fault` says why an answer is wrong, which then stands there again, to be corrected. `usual`:
   * the answer of Enter. `completer`: for Tab.
   */
  function text(message: string, { usual, fault, completer }: TextOptions = {}): Promise<string> {
    return asked<string>(message, async (earlier) => {
      const shown = earlier ?? usual ?? ''
      const question = `${green('?')} ${bold(message)} ${shown === '' ? '' : `(${shown}) `}`
      const lines = createInterface({ ...streams, terminal: true, ...(completer && { completer }) })
      lines.on('SIGINT', stop)
      try {
        for (let typed = ''; ; ) {
          const line = lines.question(question, { signal: context.signal })
          lines.write(typed)
          typed = await line
          const answer = typed.trim() || shown
          const wrong = await faultIn(answer, fault)
          if (wrong === undefined) return answer
          streams.output.write(`${red('>')} ${wrong}\n`)
        }
      } finally {
        lines.close()
      }
    })
  }

  return {
    text,
    /** The input is not shown. A wrong answer empties it, as a user cannot mend it unseen. */
    secret: (message: string, fault: Fault) =>
      asked<string>(message, async (earlier) => {
        const shown =
          earlier === undefined ? message : `${message} (Enter keeps the one that you typed before)`
        for (;;) {
          const typed = await password({ message: shown, mask: false, toggleMask: false }, context)
          const answer = typed.trim() || earlier || ''
          const wrong = answer === earlier ? undefined : await faultIn(answer, fault)
          if (wrong === undefined) return answer
          streams.output.write(`${red('>')} ${wrong}\n`)
        }
      }),
    choose: <Value>(message: string, choices: readonly Choice<Value>[]) =>
      asked<Value>(message, (earlier) => {
        const all: Choice<Value | typeof back>[] = choices.map((choice) => ({ ...choice }))
        if (canGoBack()) all.push({ value: back, name: `${back} back to the previous question` })
        const at = all.findIndex(({ value }) => isDeepStrictEqual(value, earlier))
        return select(
          { ...list_form, message, choices: all, default: all[Math.max(0, at)]!.value },
          context,
        )
      }),
    confirm: async (message: string, usual: boolean) => {
      const fault = (answer: string) => (/^(y|yes|n|no)$/i.test(answer) ? undefined : 'y or n')
      return /^y/i.test(await text(`${message} y or n:`, { usual: usual ? 'y' : 'n', fault }))
    },
    /** Work between two questions. A step back repeats it if it goes back over it. */
    work: <Value>(label: string, run: () => Promise<Value>) => take(label, false, run),
    /** Asks the questions of `flow`, and again from the one before at each step back. */
    async repeat<Value>(flow: () => Promise<Value>): Promise<Value> {
      for (;;) {
        passed = 0
        try {
          return await flow()
        } catch (error) {
          if (!(error instanceof StepBack)) throw error
        }
      }
    },
    close() {
      streams.input.off('end', stop)
      streams.input.off('keypress', onKey)
    },
  }
}

/** Does work between two questions; without a dialog there is none to step back to. */
export function between<Value>(
  dialog: Dialog | undefined,
  label: string,
  run: () => Promise<Value>,
): Promise<Value> {
  return dialog ? dialog.work(label, run) : run()
}

/**
 * The end of `init` by Ctrl-C, a signal or the end of its input. Only its last step writes
 * anything.
 */
export function initStopped(cause?: unknown): SluiceError {
  return new SluiceError({ code: 'stopped.init', message: 'stopped: nothing was written', cause })
}

/** Throws `stopped.init` if the signal has aborted. */
export function refuseStopped(stopped: AbortSignal): void {
  if (stopped.aborted) throw initStopped()
}
