import { expect, test } from 'vitest'
import { adviceOnUnreadable, unreadableText } from '../../src/domain/file.ts'

test('each cause has its own advice, given once', () => {
  expect(adviceOnUnreadable(['EACCES', 'EPERM', 'EACCES'])).toBe('give this user the right')
  expect(adviceOnUnreadable(['ENAMETOOLONG', 'EACCES'])).toBe(
    'shorten the path: the system takes 4,096 bytes; give this user the right',
  )
  expect(adviceOnUnreadable(['EIO'])).toBe('check the disk: dmesg')
})

test('a file below another disk is not called unreadable', () => {
  expect(unreadableText('EACCES')).toBe('this user may not read it')
  expect(unreadableText('ENOTCONN')).toBe('it cannot be read (socket is not connected)')
  expect(unreadableText('EXDEV')).toMatch(/^another disk is mounted above it/)
})
