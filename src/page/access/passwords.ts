import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string | Buffer, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** OWASP Password Storage Cheat Sheet: N=2^16, r=8, p=2 takes about 64 MB and 0.2 s. */
const usual = { N: 65_536, r: 8, p: 2 }
const key_bytes = 32
const max_memory_bytes = 256 * 1_048_576

/** The hash of a password as it is kept: `scrypt$N$r$p$salt$key`. */
export async function hashPassword(password: string, { N, r, p } = usual): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password.normalize('NFC'), salt, key_bytes, {
    N,
    r,
    p,
    maxmem: max_memory_bytes,
  })
  return ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** Without a kept hash the same time passes, so the answer does not tell who exists. */
export async function isPassword(password: string, kept: string | undefined): Promise<boolean> {
  const [, N, r, p, salt = '', key = ''] = (
    kept ?? `scrypt$${usual.N}$${usual.r}$${usual.p}$AAAA$`
  ).split('$')
  const options = { N: Number(N), r: Number(r), p: Number(p), maxmem: max_memory_bytes }
  const derived = await derive(
    password.normalize('NFC'),
    Buffer.from(salt, 'base64url'),
    key_bytes,
    options,
  )
  const expected = Buffer.from(key, 'base64url')
  return expected.length === derived.length && timingSafeEqual(expected, derived)
}
