import { existsSync } from 'node:fs'
import { createHttpClient, type HttpClient } from '../base/net/http-client.ts'
import { isSluiceError, messageOf, SluiceError } from '../base/run/errors.ts'
import { formatDuration } from '../base/text/format.ts'
import { day_ms, second_ms, system_clock } from '../base/time/time.ts'
import { refuseOrphan } from '../ledger/file/ledger-place.ts'
import { controlSocket, refuseNoRight } from '../ledger/file/state-directory.ts'
import type { AskAnswer, ControlVerbs, DaemonPresence, Reloaded } from './control-verbs.ts'

export interface ControlClient extends ControlVerbs {
  /** The daemon that answered the first ping. */
  readonly presence: DaemonPresence
  close(): Promise<void>
}

/** Longest wait for an answer. `accept` of a whole share takes seconds in one transaction. */
const usual_answer_ms = 60 * second_ms
/** Longest wait for `idle` and `ask`. A daemon that dies ends the wait by its connection. */
const idle_answer_ms = 14 * day_ms
/** An answer with the sources that it was asked over, 10,000 at the most. */
const max_body_bytes = 16 * 1_048_576

/**
 * Undefined if no daemon of this state directory listens. Errors: `account.no_right`,
 * `ledger.orphan`; `control.unreachable` if it does not answer this user. Verbs also throw the
 * daemon's errors, `control.lost` if it ends first, and `control.still_at_work` after `answer_ms`.
 */
export async function connectControl(
  state_dir: string,
  { answer_ms = usual_answer_ms }: { answer_ms?: number } = {},
): Promise<ControlClient | undefined> {
  const socket = controlSocket(state_dir)
  refuseNoRight(state_dir, [socket], 'write')
  if (!existsSync(socket)) {
    refuseOrphan(state_dir)
    return undefined
  }
  const client = lineTo(socket, answer_ms)
  const patient = lineTo(socket, idle_answer_ms)
  const close = async () => void (await Promise.all([client.http.close(), patient.http.close()]))
  /** A verb without an answer. */
  const post = (verb: string) => async (body?: object) => {
    await call(client, 'POST', verb, body)
  }
  try {
    const presence = (await call(client, 'GET', 'ping')) as DaemonPresence
    return {
      presence,
      ping: async () => (await call(client, 'GET', 'ping')) as DaemonPresence,
      rescan: post('rescan'),
      retry: post('retry'),
      accept: post('accept'),
      acceptRemovals: post('accept-removals'),
      runPrompt: async (what) =>
        (await call(client, 'POST', 'run-prompt', what)) as { due_ms: number },
      pause: post('pause'),
      resume: post('resume'),
      reload: async () => {
        const reloaded = (await call(client, 'POST', 'reload')) as Omit<Reloaded, 'unit'> &
          Partial<Reloaded>
        // After an upgrade, an older daemon may still run: it sends no `unit`.
        return { ...reloaded, unit: reloaded.unit ?? [] }
      },
      deliverAgain: post('deliver-again'),
      audit: post('audit'),
      doubt: post('doubt'),
      ask: async (question) => (await call(patient, 'POST', 'ask', question)) as AskAnswer,
      idle: async () => void (await call(patient, 'POST', 'idle')),
      close,
    }
  } catch (error) {
    await close()
    // A killed daemon leaves a socket on which no process listens.
    if (isSluiceError(error, 'control.nobody')) return undefined
    throw error
  }
}

interface Line {
  http: HttpClient
  answer_ms: number
}

function lineTo(socket_path: string, answer_ms: number): Line {
  const timeouts = { connect_ms: 5 * second_ms, answer_ms, body_ms: answer_ms, stall_ms: answer_ms }
  const http = createHttpClient({
    connections: 2,
    socket_path,
    timeouts,
    max_body_bytes,
    clock: system_clock,
  })
  return { http, answer_ms }
}

async function call(
  line: Line,
  method: 'GET' | 'POST',
  verb: string,
  body?: object,
): Promise<unknown> {
  const { status, body: text } = await request(line, method, verb, body)
  const answer = parsed(text)
  if (status === 200) return answer
  const { code, message, hint } = (answer ?? {}) as Record<string, unknown>
  throw new SluiceError({
    code: typeof code === 'string' ? code : 'control.failed',
    message:
      typeof message === 'string' ? message : `the daemon answered ${verb} with status ${status}`,
    hint: typeof hint === 'string' ? hint : undefined,
  })
}

async function request(
  { http, answer_ms }: Line,
  method: 'GET' | 'POST',
  verb: string,
  body?: object,
) {
  try {
    return await http.request({
      method,
      // Nothing resolves this name: the connection goes to the socket.
      url: new URL(`http://localhost/v1/${verb}`),
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
  } catch (error) {
    throw translated(error, verb, answer_ms)
  }
}

function translated(error: unknown, verb: string, answer_ms: number): unknown {
  if (!isSluiceError(error)) return error
  if (error.code === 'network.refused') {
    return new SluiceError({
      code: 'control.nobody',
      message: 'no daemon listens on its socket',
      cause: error,
    })
  }
  if (error.code === 'network.reset') {
    return new SluiceError({
      code: 'control.lost',
      message: `the daemon ended before it answered ${verb}`,
      hint: 'its log says why; start it again with `sluice run`',
      cause: error,
    })
  }
  if (error.code === 'network.timeout' && verb !== 'ping') {
    return new SluiceError({
      code: 'control.still_at_work',
      message: `the daemon accepted ${verb}, and is still working on it after ${formatDuration(answer_ms)}`,
      hint: 'it goes on by itself; its log says when it has ended, and `sluice status` shows the state',
      cause: error,
    })
  }
  return new SluiceError({
    code: 'control.unreachable',
    message: `the daemon does not answer ${verb}: ${messageOf(error)}`,
    hint: 'run this as the user of the daemon; if the daemon hangs, its log says where',
    cause: error,
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The body is no JSON: the caller uses the status alone.
    return undefined
  }
}
