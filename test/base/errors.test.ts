import { expect, test } from 'vitest'
import { causeOf, messageOf, SluiceError, systemWords } from '../../src/base/run/errors.ts'

const coded = (code: string, message: string) => Object.assign(new Error(message), { code })

// As Node, its threads, SQLite and OpenSSL write them.
test.each<[unknown, string]>([
  [
    coded('ENOENT', "ENOENT: no such file or directory, open '/srv/ENOENT'"),
    "no such file or directory, open '/srv/ENOENT'",
  ],
  [
    coded('EISDIR', 'EISDIR: illegal operation on a directory, read'),
    'illegal operation on a directory, read',
  ],
  [
    coded('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:9'),
    'connect: connection refused 127.0.0.1:9',
  ],
  [coded('ECONNRESET', 'read ECONNRESET'), 'read: connection reset by peer'],
  [coded('ENOENT', 'spawn /opt/x ENOENT'), 'spawn /opt/x: no such file or directory'],
  [
    coded('EADDRINUSE', 'listen EADDRINUSE: address already in use :::80'),
    'listen: address already in use :::80',
  ],
  [coded('EAI_AGAIN', 'getaddrinfo EAI_AGAIN nas'), 'getaddrinfo: temporary failure nas'],
  [coded('ECONNREFUSED', ''), 'connection refused'],
  [coded('EIO', 'the disk went away'), 'the disk went away'],
  [coded('SQLITE_FULL', 'database or disk is full'), 'database or disk is full'],
  [
    coded('ERR_OSSL_PEM_NO_START_LINE', 'error:0480006C:PEM routines::no start line'),
    'no start line',
  ],
  [new Error('EACCES: permission denied, lstat'), 'permission denied, lstat'],
  [
    coded('ERR_WORKER_INIT_FAILED', 'Worker initialization failure: ENOMEM'),
    'Worker initialization failure: not enough memory',
  ],
  ["EACCES: permission denied, mkdir '/x'", "permission denied, mkdir '/x'"],
  [new Error('the folder EACCES is empty'), 'the folder EACCES is empty'],
  [new SluiceError({ code: 'a.b', message: 'EIO: a name' }), 'EIO: a name'],
  [undefined, 'undefined'],
])('%o in words: %s', (error, text) => {
  expect(messageOf(error)).toBe(text)
})

test('a cause has neither path nor call; an error that the system does not know has its own text', () => {
  expect(causeOf(coded('ENOENT', "ENOENT: no such file or directory, open '/x'"))).toBe(
    'no such file or directory',
  )
  expect(causeOf(coded('ERR_FS_FILE_TOO_LARGE', 'File size is greater'))).toBe(
    'File size is greater',
  )
  expect(causeOf(new SluiceError({ code: 'a.b', message: 'the words' }))).toBe('the words')
  expect(causeOf(new Error('it is empty'))).toBe('it is empty')
  expect(causeOf(coded('EMFILE', "EMFILE: too many open files, open '/x'"))).toMatch(
    /^too many open files: this process may have only \S+ open files \(raise ulimit -n, /,
  )
})

test('a code that the system does not know stays as it is', () => {
  expect(systemWords('EACCES')).toBe('permission denied')
  expect(systemWords('CRL_HAS_EXPIRED')).toBe('CRL_HAS_EXPIRED')
})
