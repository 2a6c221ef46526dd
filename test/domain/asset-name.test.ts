import fc from 'fast-check'
import { expect, test } from 'vitest'
import { uploadName } from '../../../src/sync/upload/sending-source.ts'

const folder = { name: 'finance', upload_name: 'path' as const }

test('the path inside the folder, after the name of the folder', () => {
  expect(uploadName(folder, '2026/report.pdf')).toBe('finance/2026/report.pdf')
})

test('or the name of the file alone', () => {
  expect(uploadName({ name: 'finance', upload_name: 'base' }, '2026/report.pdf')).toBe('report.pdf')
})

test('a name that is too long loses its middle, and keeps the folder and the extension', () => {
  const name = uploadName(folder, `${'deep/'.repeat(80)}report.pdf`)
  expect(name).toHaveLength(255)
  expect(name.startsWith('finance/deep/')).toBe(true)
  expect(name.endsWith('/report.pdf')).toBe(true)
  expect(name).toContain('…')
})

test('property: at most 255 characters, no character cut in half, short names unchanged', () => {
  const path = fc.string({ unit: 'binary', minLength: 1, maxLength: 600 })
  fc.assert(
    fc.property(path, (text) => {
      const name = uploadName(folder, text)
      expect(name.length).toBeLessThanOrEqual(255)
      expect(Buffer.from(name).toString()).toBe(name)
      if (`finance/${text}`.length <= 255) expect(name).toBe(`finance/${text}`)
      else expect(name.length).toBeGreaterThan(250)
    }),
  )
})
