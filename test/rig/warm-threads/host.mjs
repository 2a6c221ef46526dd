import { syncBuiltinESMExports } from 'node:module'
import threads, { parentPort } from 'node:worker_threads'

/*
 * A thread that serves one module of dist/ after the other (warm-worker.ts). It evaluates each
 * anew; their imports are already loaded. The file is JavaScript because Node 20 loads no
 * TypeScript into a thread.
 */

/** Calls that the served module received on its port, and answered. */
let served = { asked: 0, answered: 0, last: undefined }
let modules = 0

const receive = threads.receiveMessageOnPort
threads.receiveMessageOnPort = (port) => {
  const received = receive(port)
  if (received && port === threads.workerData?.port) noteCalls(received.message)
  return received
}

parentPort.on('message', async ({ start }) => {
  if (start) {
    served = { asked: 0, answered: 0, last: undefined }
    threads.workerData = { port: watched(start.port), data: start.data }
    syncBuiltinESMExports()
    modules += 1
    await import(`${start.module}?${modules}`)
    return
  }
  threads.workerData?.port.close()
  parentPort.postMessage({ has_answered: served.asked === served.answered, last: served.last })
})

function watched(port) {
  const on = port.on.bind(port)
  port.on = (event, listener) => {
    const noted = (calls) => {
      noteCalls(calls)
      listener(calls)
    }
    return on(event, event === 'message' ? noted : listener)
  }
  const post = port.postMessage.bind(port)
  port.postMessage = (answers, transfer) => {
    post(answers, transfer)
    served.answered += answers.length
  }
  return port
}

function noteCalls(calls) {
  served.asked += calls.length
  served.last = calls.at(-1).method
}
