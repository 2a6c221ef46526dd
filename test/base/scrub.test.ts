import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scrubText, scrubValue } from '../../src/base/text/scrub.ts'

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
