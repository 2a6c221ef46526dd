import { expect, test } from 'vitest'
import { didYouMean } from '../../src/base/text/did-you-mean.ts'

const keys = ['service', 'folders', 'uploads', 'settle_ms', 'max_file_bytes', 'path']

test.each([
  ['fodlers', 'folders'],
  ['Folders', 'folders'],
  ['folder', 'folders'],
  ['settle', undefined],
  ['setle_ms', 'settle_ms'],
  ['max_file_size', 'max_file_bytes'],
  ['pth', 'path'],
  ['zzz', undefined],
  ['', undefined],
])('%s -> %s', (word, meant) => expect(didYouMean(word, keys)).toBe(meant))
