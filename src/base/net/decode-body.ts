import { constants, gunzipSync } from 'node:zlib'
import { codeOf } from '../run/errors.ts'

export interface DecodedBody {
  /** As UTF-8, without a byte order mark. Empty if it cannot be decoded, or is too large. */
  body: string
  /** True if there is more than `body`. */
  truncated: boolean
  /** Why it cannot be decoded, in words. The status and the headers count all the same. */
  undecoded?: string
}

/**
 * Decodes a body by its Content-Encoding. A gzip body that grows beyond `max_bytes` is given
 * up at that size. `is_cut`: the last bytes are missing.
 */
export function decodeBody(
  bytes: Buffer,
  encoding: string | string[] | undefined,
  { max_bytes, is_cut }: { max_bytes: number; is_cut: boolean },
): DecodedBody {
  const name = String(encoding ?? '')
    .trim()
    .toLowerCase()
  if (bytes.length === 0 || name === '' || name === 'identity')
    return { body: textOf(bytes), truncated: is_cut }
  if (name !== 'gzip' && name !== 'x-gzip') return unread(`its encoding is unknown (${name})`)
  const finishFlush = is_cut ? constants.Z_SYNC_FLUSH : constants.Z_FINISH
  try {
    const plain = gunzipSync(bytes, { maxOutputLength: max_bytes, finishFlush })
    return { body: textOf(plain), truncated: is_cut }
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') return { body: '', truncated: true }
    return unread('its gzip encoding is damaged')
  }
}

function unread(undecoded: string): DecodedBody {
  return { body: '', truncated: false, undecoded }
}

function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}
