import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { messageOf, SluiceError } from './errors.ts'
import { no_debugger } from './process.ts'
import { type AnswerMessage, builtModule, type CallMessage, type Thread } from './thread.ts'

/** Calls of libuv that may hang at the same time; it allows 1,024. */
const max_calls = 128

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/**
 * As `startThread`, in a process of its own, without data. Node waits at its end for each thread
 * inside a call of the system, even in `process.exit`. So a call that may never return (an
 * unresponsive mount) is made apart: in another session, without a stream of this process, and
 * left behind where not even SIGKILL ends it. It ends with the call.
 */
export function startApart(module: string): Thread {
  const child = spawn(process.execPath, [...no_debugger, fileURLToPath(builtModule(module))], {
    cwd: '/',
    detached: true,
    env: { UV_THREADPOOL_SIZE: String(max_calls) },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  })
  const waiting = new Map<number, Waiting>()
  let next_id = 1
  let ended: SluiceError | undefined

  function end(why: string): void {
    ended ??= new SluiceError({ code: 'thread.ended', message: `process ${module} ${why}` })
    for (const { reject } of waiting.values()) reject(ended)
    waiting.clear()
  }

  function settle(answer: AnswerMessage): void {
    const call = waiting.get(answer.id)
    waiting.delete(answer.id)
    if (waiting.size === 0) child.channel?.unref()
    if ('error' in answer) call?.reject(new SluiceError(answer.error))
    else call?.resolve(answer.value)
  }

  child.on('message', settle)
  const over = new Promise<void>((resolve) => {
    child.on('error', (error) => {
      end(`cannot be started: ${messageOf(error)}`)
      resolve()
    })
    child.on('exit', () => {
      end('has ended')
      resolve()
    })
  })
  // Only a call in flight keeps this process alive.
  child.unref()
  child.channel?.unref()

  return {
    call<Result>(method: string, argument: unknown): Promise<Result> {
      if (ended) return Promise.reject(ended)
      return new Promise<Result>((resolve, reject) => {
        const id = next_id++
        waiting.set(id, { resolve: resolve as Waiting['resolve'], reject })
        child.channel?.ref()
        const call: CallMessage = { id, method, argument }
        // A failure to send is followed by the event `exit`.
        child.send(call, () => {})
      })
    },
    terminate() {
      child.kill('SIGKILL')
      if (child.connected) child.disconnect()
      end('was ended')
      return over
    },
  }
}
