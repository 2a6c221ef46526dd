import { expect, test } from 'vitest'
import { hidePixels } from '../../../../src/service/ingest/pdf/hide-pixels.ts'

function hidden(file: string): string {
  const data = new Uint8Array(Buffer.from(file, 'latin1'))
  hidePixels(data)
  return Buffer.from(data).toString('latin1')
}

const picture = '/Subtype/Image/Width 1700/Height 22/Filter/DCTDecode'
const objectOf = (dictionary: string, content = 'pixels') =>
  `4 0 obj\n<<${dictionary}/Length ${content.length}>>\nstream\n${content}\nendstream\nendobj\n`
const small = '/Subtype/Image/Width 2   /Height 2 /Filtex/DCTDecode'

test.each([
  ['a picture', objectOf(picture), objectOf(small)],
  [
    'with a dictionary, a text and a remark in its own',
    objectOf(`/P<</Filter 1/Width 99>>/T(\\) >> (Width) 8)%>>\n${picture}`),
    objectOf(`/P<</Filter 1/Width 99>>/T(\\) >> (Width) 8)%>>\n${small}`),
  ],
  [
    'behind a content with words of a PDF',
    objectOf('', '(endstream /Subtype/Image)') + objectOf(picture),
    objectOf('', '(endstream /Subtype/Image)') + objectOf(small),
  ],
  [
    'with a false length',
    objectOf(picture).replace('/Length 6', '/Length 5') + objectOf(picture),
    objectOf(small).replace('/Length 6', '/Length 5') + objectOf(small),
  ],
])('is made small: %s', (_what, file, changed) => expect(hidden(file)).toBe(changed))

test.each([
  ['a text that quotes a picture', objectOf('', `(${picture})`)],
  ['a text that quotes a whole object', objectOf('', `(${objectOf(picture)})`)],
  [
    'a text with the word of a pattern',
    objectOf('', '(/PatternType 1) Tj') + objectOf('', 'next page'),
  ],
  ['a text in a dictionary', `4 0 obj\n<</Contents(${picture} stream)>>\nendobj\n`],
  [
    'the encryption beside a picture',
    `3 0 obj\n<</ProcSet[/ImageB]>>\nendobj\n5 0 obj\n<</Filter/Standard/V 1>>\nendobj\n${objectOf('/Subtype/Form')}`,
  ],
  [
    'a picture with its size in another object',
    objectOf('/Subtype/Image/Width 9 0 R/Height 22/Filter/A'),
  ],
  ['a dictionary that does not end', `4 0 obj\n<<${picture}/T( >>\nstream\npixels\nendstream`],
])('stays as it is: %s', (_what, file) => expect(hidden(file)).toBe(file))

test('a pattern keeps only a picture', () => {
  const pattern = objectOf(
    '/PatternType 1/Filter/A/Resources<</XObject<</Im 4 0 R>>>>',
    'P scn 1 2 3 f',
  )
  expect(hidden(pattern + objectOf(picture))).toContain('/Filtex/A')
  expect(hidden(pattern + objectOf(picture))).toContain('stream\n\n/Im Do      \nendstream')
})
