import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { text } from '../../src/contract/field-schemas.ts'
import { labelAttach } from '../../src/contract/messages/messages-assets.ts'

const ajv = new Ajv2020({ strict: false })
const letters = fc.constantFrom('a', 'é', '😀', '\ud83d', '\ude00', '\0', '👩‍👩‍👧')

test('a text is accepted as its description says: lengths are counted in characters of any kind', () => {
  const bounds = fc.tuple(fc.nat(4), fc.nat(6)).map(([min, more]) => [min, min + more] as const)
  fc.assert(
    fc.property(bounds, fc.array(letters, { maxLength: 12 }), ([min, max], pieces) => {
      const schema = text(min, max).meta({ description: 'A name.' })
      const described = ajv.compile(z.toJSONSchema(schema))
      expect(schema.safeParse(pieces.join('')).success).toBe(described(pieces.join('')))
    }),
  )
})

test('B-18 the name of a label has 2 to 255 characters: one emoji is too short, 255 are not too long', () => {
  const isTaken = (label_name: string) => labelAttach.safeParse({ label_name }).success
  expect(['😀', '😀😀', '😀'.repeat(255), '😀'.repeat(256), 'x'.repeat(256)].map(isTaken)).toEqual([
    false,
    true,
    true,
    false,
    false,
  ])
})
