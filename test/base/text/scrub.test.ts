import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scrubText, scrubValue, token_pattern } from '../../../src/base/text/scrub.ts'

const token = `pat_${'a1B2'.repeat(8)}`

test.each([
  [`the token ${token} is bad`, 'the token pat_*** is bad'],
  [`x${token}y`, 'xpat_***'],
  ['PUT https://blob.example/c/b?sv=1&sig=a%2Fb failed', 'PUT https://blob.example/c/b?*** failed'],
  ['(https://blob.example/c?onlyvalue)', '(https://blob.example/c?***'],
  ['request to /c/b?sig=abc&x=y timed out', 'request to /c/b?*** timed out'],
  ['proxy http://me:pass@proxy.example:8080/', 'proxy http://***@proxy.example:8080/'],
  ['headers se=2026&sig=abc%2B&sp=r', 'headers se=2026&sig=***&sp=r'],
  ['X-Amz-Signature=abcdef', 'X-Amz-Signature=***'],
  ['"{\\"url\\":\\"https://a/b?c=d\\"}"', '"{\\"url\\":\\"https://a/b?***"}"'],
  ['why? because', 'why? because'],
  ['https://example.com/a/b#c', 'https://example.com/a/b#c'],
])('%s', (text, scrubbed) => {
  expect(scrubText(text)).toBe(scrubbed)
})

test('no token and no signature is left, whatever stands around it, and a second pass changes nothing', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, after) => {
      const scrubbed = scrubText(`${before}${token}${after} ${before} https://h/x?sig=SIGNATURE`)
      expect(scrubbed).not.toContain(token.slice(4))
      expect(scrubbed).not.toContain('SIGNATURE')
      expect(scrubText(scrubbed)).toBe(scrubbed)
    }),
  )
})

test('A-36 a token is pat_ and 32 printable characters without spaces', () => {
  for (const tail of [
    `${'aB3'.repeat(10)}zz`,
    `-._~:/?#[]@!$&'()*+,;=%"<>\\^\`{|}`.slice(0, 32),
    '*'.repeat(32),
  ])
    expect(token_pattern.test(`pat_${tail}`), tail).toBe(true)
  for (const tail of [
    'a'.repeat(31),
    'a'.repeat(33),
    `${'a'.repeat(31)}\n`,
    `${'a'.repeat(31)} `,
    `${'a'.repeat(31)}é`,
  ])
    expect(token_pattern.test(`pat_${tail}`), tail).toBe(false)
})

const printable = fc.string({
  minLength: 32,
  maxLength: 32,
  unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)),
})

/** The forms in which a token stands in texts. */
const forms: Record<string, (value: string) => string> = {
  bare: (value) => value,
  'in a path': (value) => encodeURIComponent(value),
  'in a query': (value) => new URLSearchParams({ value }).toString().slice('value='.length),
  'wholly URL-encoded': (value) =>
    `pat_${[...value.slice(4)].map((one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')}`,
  'URL-encoded twice': (value) => encodeURIComponent(encodeURIComponent(value)),
  'in JSON': (value) => JSON.stringify(value).slice(1, -1),
  'in JSON in JSON': (value) => JSON.stringify(JSON.stringify(value)).slice(3, -3),
  'in JSON of letters alone': (value) =>
    `pat_${[...value.slice(4)].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}`,
  'in HTML': (value) =>
    value
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;'),
}

test.each(Object.entries(forms))(
  'A-36 no part of a token of any printable characters is left, %s',
  (_form, formOf) => {
    fc.assert(
      fc.property(
        printable,
        fc.constantFrom('', ' ', '"', '\n', '\\n', '%20', '=', 'Bearer '),
        (tail, before) => {
          // The mask of a token is no token.
          fc.pre(!/^\*{3}(?![A-Za-z0-9])/.test(tail))
          const scrubbed = scrubText(`before ${before}${formOf(`pat_${tail}`)} after`)
          expect(scrubbed).toBe(`before ${before}pat_*** after`)
          expect(scrubText(scrubbed)).toBe(scrubbed)
        },
      ),
      { numRuns: 500 },
    )
  },
)

test('what stands near a token stays, and so do texts that cannot be one', () => {
  const odd = `pat_${'a-'.repeat(16)}`
  expect(scrubText(`{"key":"${odd}","path":"a"}`)).toBe('{"key":"pat_***","path":"a"}')
  for (const text of [
    'expected 36 characters, "pat_" and 32 more',
    '/srv/compat_layer/2026/quarterly/reports/final.pdf',
    'pat_short-name',
  ])
    expect(scrubText(text)).toBe(text)
})

test('a long text of backslashes behind pat_ costs no time', () => {
  const began = process.hrtime.bigint()
  for (const part of ['\\', '%25', '&amp', '*'])
    scrubText(`${`pat_${part.repeat(31)} `.repeat(1_000)}pat_${part.repeat(20_000)}`)
  expect(Number(process.hrtime.bigint() - began) / 1e9).toBeLessThan(5)
})

test('fields whose name says that they are secret are hidden at any depth and in any spelling', () => {
  const value = {
    upload_url: 'https://blob/x',
    a: [{ 'X-API-Key': 'k', uploadHeaders: { h: 1 }, kept: token }],
    [token]: null,
    ticket: { url: 'u' },
    tokens_seen: 3,
  }
  expect(scrubValue(value)).toEqual({
    upload_url: '***',
    a: [{ 'X-API-Key': '***', uploadHeaders: '***', kept: 'pat_***' }],
    'pat_***': null,
    ticket: '***',
    tokens_seen: 3,
  })
})

test('a structure that contains itself is cut', () => {
  const round: Record<string, unknown> = {}
  round.again = round
  expect(JSON.stringify(scrubValue(round)).length).toBeLessThan(200)
})
