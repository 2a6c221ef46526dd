import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createProof, KnownProofs, newProofKey } from '../../src/disk/proof.ts'

const key = newProofKey()

function proofOf(parts: readonly Uint8Array[], by = key): string {
  const proof = createProof(by)
  for (const part of parts) proof.update(part)
  return proof.digest()
}

describe('a proof', () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 })

  test('is the same however the bytes are cut, and another for a bit that is another', () => {
    const property = fc.property(bytes, fc.nat(), fc.nat(), (all, cut, bit) => {
      const at = cut % all.length
      const whole = proofOf([all])
      expect(whole).toMatch(/^[0-9a-f]{32}$/)
      expect(proofOf([all.subarray(0, at), all.subarray(at)])).toBe(whole)
      const other = Uint8Array.from(all)
      other[at]! ^= 1 << (bit % 8)
      expect(proofOf([other])).not.toBe(whole)
      expect(proofOf([all.subarray(0, all.length - 1)])).not.toBe(whole)
      expect(proofOf([all, Uint8Array.of(0)])).not.toBe(whole)
    })
    fc.assert(property)
  })

  test('is worth nothing under another key', () => {
    expect(proofOf([Buffer.from('text')], newProofKey())).not.toBe(proofOf([Buffer.from('text')]))
  })

  test('of the last contents is known, of older ones not any more', () => {
    const proofs = new KnownProofs()
    for (let index = 0; index < 1_025; index++) proofs.learn(`md5 ${index}`, `proof ${index}`)
    proofs.learn('md5 1', 'proof 1')
    proofs.learn('md5 new', 'proof')
    expect(['md5 0', 'md5 1', 'md5 2', 'md5 3', 'md5 1024'].map((md5) => proofs.of(md5))).toEqual([
      undefined,
      'proof 1',
      undefined,
      'proof 3',
      'proof 1024',
    ])
  })
})
