import { readBeginning } from '../../base/files/atomic-file.ts'
import {
  createHttpClient,
  type HttpRequest,
  type HttpResponse,
  type ProxyVariables,
} from '../../base/net/http-client.ts'
import { causeOf, SluiceError } from '../../base/run/errors.ts'
import { type Clock, second_ms } from '../../base/time/time.ts'
import { refused } from '../faults/faults.ts'

export interface OutsideHostOptions {
  /** The limit for a whole call, from connecting to the last byte of the answer. */
  timeout_ms: number
  max_body_bytes: number
  connections: number
  /** Absent if the host needs no key. */
  key_file?: string | undefined
  /** The header that carries the key; `authorization` carries it as a bearer token. */
  key_header: string
  proxy?: ProxyVariables | undefined
  clock: Clock
}

const connect_ms = 10 * second_ms

/**
 * A client for one other host (a model, a web search) that answers JSON. It follows no redirect, so
 * a key reaches only the host it was given for. Error `config.service` at the start for a key file
 * that cannot be used.
 */
export function openOutsideHost(options: OutsideHostOptions) {
  const { timeout_ms, max_body_bytes, connections, key_file, proxy, clock } = options
  const silence_ms = { answer_ms: timeout_ms, body_ms: timeout_ms, stall_ms: timeout_ms }
  const timeouts = { connect_ms: Math.min(connect_ms, timeout_ms), ...silence_ms }
  const http = createHttpClient({ connections, max_body_bytes, timeouts, proxy, clock })
  const key_header = options.key_header.toLowerCase()

  /** Reads the key for every call, so that a new key takes effect without a restart. */
  function keyHeaders(): Record<string, string> {
    if (key_file === undefined) return {}
    const key = readKeyFile(key_file)
    return { [key_header]: key_header === 'authorization' ? `Bearer ${key}` : key }
  }

  keyHeaders()
  return {
    /** Errors: `network.…`, `config.service`, and the reason of the caller's signal. */
    async ask(request: Omit<HttpRequest, 'signal'>, signal: AbortSignal): Promise<HttpResponse> {
      const headers = { accept: 'application/json', ...request.headers, ...keyHeaders() }
      // The HTTP client limits only each step: a host that sends a byte a minute would never end.
      const late = new AbortController()
      const over = new AbortController()
      void clock.sleep(timeout_ms, over.signal).then(() => late.abort())
      try {
        return await http.request({
          ...request,
          headers,
          signal: AbortSignal.any([signal, late.signal]),
        })
      } catch (error) {
        if (late.signal.aborted && !signal.aborted)
          throw new Error(`no complete answer within ${timeout_ms} ms`)
        throw error
      } finally {
        over.abort()
      }
    },
    close: () => http.close(),
  }
}

/** Enough for a key and its line end. A wrong path must not load a large file. */
const max_key_file_bytes = 4_096

/** Reads a key that only its owner can read. Error `config.service`, without the content. */
function readKeyFile(file: string): string {
  try {
    const { stat, bytes } = readBeginning(file, max_key_file_bytes + 1)
    if (!stat.isFile()) throw unusable(file, 'it is not a file')
    if (bytes.length > max_key_file_bytes)
      throw unusable(file, `it has more than ${max_key_file_bytes} bytes`)
    if ((stat.mode & 0o077) !== 0)
      throw unusable(file, 'group or others can read it', `chmod 600 ${file}`)
    const key = bytes.toString('latin1').trim()
    if (!/^[\x21-\x7e]+$/.test(key))
      throw unusable(file, 'the key must be one word of visible characters')
    return key
  } catch (error) {
    throw error instanceof SluiceError ? error : unusable(file, causeOf(error))
  }
}

function unusable(file: string, why: string, hint?: string): SluiceError {
  return refused(`the key file ${file} cannot be used: ${why}`, hint)
}
