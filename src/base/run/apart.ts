import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { messageOf } from './errors.ts'
import { type AnswerMessage, OpenCalls } from './open-calls.ts'
import { no_debugger } from './process.ts'
import { builtModule, type Thread } from './thread.ts'

/** Calls of libuv that may hang at the same time; it allows 1,024. */
const max_calls = 128

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
  // Only a call in flight keeps this process alive.
  const hold = (is_idle: boolean) => {
    if (is_idle) child.channel?.unref()
    else child.channel?.ref()
  }
  const calls = new OpenCalls(hold)
  const end = (why: string) =>
    calls.end({ code: 'thread.ended', message: `process ${module} ${why}` })

  child.on('message', (answer: AnswerMessage) => calls.settle(answer))
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
  child.unref()
  hold(true)

  return {
    // A failure to send is followed by the event `exit`.
    call: (method, argument) =>
      calls.make({ method, argument }, (call) => void child.send(call, () => {})),
    terminate() {
      child.kill('SIGKILL')
      if (child.connected) child.disconnect()
      end('was ended')
      return over
    },
  }
}
