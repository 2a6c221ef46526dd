import { expect, test } from 'vitest'
import { translateNetworkError } from '../../../src/base/net/network-fault.ts'
import { forReader } from '../../../src/page/reads/for-reader.ts'

const config = {
  folders: [
    { name: 'docs', path: '/srv/docs' },
    { name: 'minutes', path: '/srv/docs/minutes' },
    { name: 'odd', path: '/srv/it\'s "odd"' },
  ],
  state_dir: '/var/lib/sluice',
} as unknown as Parameters<typeof forReader>[1]

test.each(
  ['ECONNREFUSED', 'EHOSTUNREACH', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT', 'EPROTO', 'ECONNRESET']
    .concat(['ETIMEDOUT', 'UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_ABORTED', 'HPE_INVALID_CONSTANT'])
    .concat(['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'CRL_HAS_EXPIRED', 'EIO']),
)('a reader learns no host from a call that failed by %s', (code) => {
  const going = { method: 'POST', host: 'api.internal:8443' }
  const { message } = translateNetworkError(Object.assign(new Error('x'), { code }), going)
  expect(forReader({ why: [`the last try failed: ${message}`] }, config)).toEqual({
    why: ['the last try failed: the service could not be reached'],
  })
})

test.each([
  ['/srv/docs/plan.txt is missing', 'docs/plan.txt is missing'],
  ["permission denied, open '/srv/docs/a'", "permission denied, open 'docs/a'"],
  ['the rule *.log (/srv/docs/.sluiceignore:2)', 'the rule *.log (docs/.sluiceignore:2)'],
  ['/srv/docs/minutes/x, /srv/docs/y', 'minutes/x, docs/y'],
  [`at /srv/it's "odd"/z`, 'at odd/z'],
  ['/var/lib/sluice/ledger.db is full', 'the state directory/ledger.db is full'],
  [
    'the last try failed: POST 127.0.0.1:8582: the connection broke (UND_ERR_SOCKET)',
    'the last try failed: the service could not be reached',
  ],
  [
    'PUT [::1]:8: no answer came in time; it may come',
    'the service could not be reached; it may come',
  ],
  [
    "the page cannot be served as it is configured: the page cannot read /k.pem: no such file or directory, open '/k.pem'",
    'the page cannot be served as it is configured',
  ],
  [
    'the page goes on with its earlier certificate: the page cannot read /k.pem: permission denied',
    'the page goes on with its earlier certificate',
  ],
  [
    'cannot read the token file /etc/sluice/token: permission denied',
    'cannot read the token file: permission denied',
  ],
  [
    'file /etc/sluice/token (service.token_file) holds none',
    'the token file (service.token_file) holds none',
  ],
  // A path in a folder, which links to its file.
  ['old/srv/docs/a.txt', 'old/srv/docs/a.txt'],
])('a reader sees %j as %j', (text, shown) => {
  expect(forReader({ why: [text] }, config)).toEqual({ why: [shown] })
})

test('a hint, which names commands, becomes one for readers', () => {
  expect(
    forReader({ problems: [{ message: 'm', hint: 'sluice retry x' }, { hint: null }] }, config),
  ).toEqual({
    problems: [
      { message: 'm', hint: 'Ask your administrator' },
      { hint: 'Ask your administrator' },
    ],
  })
})
