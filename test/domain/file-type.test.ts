import { expect, test } from 'vitest'
import {
  extensionOf,
  isTypePattern,
  refusedTypeIn,
  typeRefusal,
  typeTrial,
  unreadType,
} from '../../src/domain/file-type.ts'

test('a type is the extension in lower case; a dot file, a final dot and a long ending have none', () => {
  const types = {
    'a/b.tar.GZ': 'gz',
    README: '',
    '.profile': '',
    'x.': '',
    'x.a1234567890123456': '',
  }
  expect(Object.fromEntries(Object.keys(types).map((path) => [path, extensionOf(path)]))).toEqual(
    types,
  )
})

test('a refused and an unproven type have codes of their own, which name them, and a reason in words', () => {
  expect(typeRefusal('gz').code).toBe('type_refused:gz')
  expect(typeRefusal('gz').message).toBe('the service could read none of the first 20 .gz files')
  expect(refusedTypeIn(typeRefusal('a:b').code)).toBe('a:b')
  expect(refusedTypeIn(typeTrial('gz').code)).toBeUndefined()
  expect(typeTrial('gz')).toEqual({
    code: 'type_unproven:gz',
    message: 'it waits for the result of the first 20 .gz files: the service has not read one yet',
  })
  expect(typeTrial('').message).toContain('the first 20 files without an extension')
})

test('a type that the service does not read at all has the reason of its files that failed', () => {
  const said = unreadType('gz')
  expect(said).toBe('the service cannot read .gz files')
  expect(typeRefusal('gz', said)).toEqual({ code: 'type_refused:gz', message: said })
  // Twenty damaged files say nothing about the type.
  const damaged = 'the service cannot read this file: broken'
  expect(typeRefusal('pdf', damaged)).toEqual(typeRefusal('pdf'))
})

test('a pattern of a type has no other wildcard and no directory', () => {
  expect(['*.gz', '*.', '*.tar.gz'].map(isTypePattern)).toEqual([true, true, true])
  expect(['*', 'a.gz', 'x/*.gz', '*.g/z'].map(isTypePattern)).toEqual([false, false, false, false])
})
