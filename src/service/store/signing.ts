import {
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { writeFileAtomic } from '../../base/files/atomic-file.ts'
import { refused } from '../faults/faults.ts'

/** The rights of an upload URL: one PUT to one asset, with exactly these headers. */
interface Ticket {
  asset_id: string
  /** Names as clients get them; compared in lower case. */
  headers: Readonly<Record<string, string>>
  limit_bytes: number
  expires_at_ms: number
}

interface SignedRequest {
  method: string
  asset_id: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
}

type SignatureVerdict =
  | { ok: true; limit_bytes: number; expires_at_ms: number; signed_headers: readonly string[] }
  | { ok: false; reason: string }

const key_bytes = 32

/** Makes the key on first use (0600) and keeps it, so that upload URLs survive a restart. */
export function loadSigningKey(file: string): KeyObject {
  if (!existsSync(file)) writeFileAtomic(file, `${randomBytes(key_bytes).toString('hex')}\n`, 0o600)
  const text = readFileSync(file, 'utf8').trim()
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw refused(
      `${file} contains no valid signing key`,
      'remove the file: the next start makes a new key, and earlier upload URLs stop working',
    )
  }
  return createSecretKey(Buffer.from(text, 'hex'))
}

export function signWith(key: KeyObject) {
  function signature(
    method: string,
    asset_id: string,
    limit: string,
    expires: string,
    headers: string[],
  ): Buffer {
    // No part has a line feed: ids and numbers are checked, and no header value can have one.
    const text = [method, asset_id, limit, expires, ...headers].join('\n')
    return createHmac('sha256', key).update(text).digest()
  }

  return {
    /** Returns the query of the upload URL. */
    sign({ asset_id, headers, limit_bytes, expires_at_ms }: Ticket): string {
      const lines = Object.entries(headers).map(([name, value]) => `${name.toLowerCase()}:${value}`)
      const names = Object.keys(headers).map((name) => name.toLowerCase())
      const expires = String(expires_at_ms)
      const signed = signature('PUT', asset_id, String(limit_bytes), expires, lines)
      const query = {
        expires,
        limit: String(limit_bytes),
        headers: names.join(';'),
        signature: signed.toString('hex'),
      }
      return new URLSearchParams(query).toString()
    },
    /** Checks the signature, but not size and expiry. Reasons contain no header values. */
    verify({ method, asset_id, query, headers }: SignedRequest): SignatureVerdict {
      const expires = query.get('expires') ?? ''
      const limit = query.get('limit') ?? ''
      const given = Buffer.from(query.get('signature') ?? '', 'hex')
      if (!/^\d{1,15}$/.test(expires) || !/^\d{1,15}$/.test(limit) || given.length !== 32) {
        return { ok: false, reason: 'the URL has no signature' }
      }
      const names = (query.get('headers') ?? '').split(';').filter((name) => name !== '')
      const missing = names.find((name) => headers[name] === undefined)
      if (missing !== undefined)
        return { ok: false, reason: `the signed header ${missing} is missing` }
      const lines = names.map((name) => `${name}:${String(headers[name])}`)
      if (!timingSafeEqual(given, signature(method, asset_id, limit, expires, lines))) {
        return { ok: false, reason: 'the method, the URL or a signed header was changed' }
      }
      return {
        ok: true,
        limit_bytes: Number(limit),
        expires_at_ms: Number(expires),
        signed_headers: names,
      }
    },
  }
}
