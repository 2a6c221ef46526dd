import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkQuotations, filesAtHand } from '../../../src/service/quotations/check-quotations.ts'

const lease = `The tenant pays 1,200 crowns each month. The term of notice is three months to the
end of a quarter. Repairs of up to 100 crowns are the tenant's own. Late pay-
ment costs 5 % a year, as "usual" in the trade.`
const offer = 'The price is 12 crowns a piece, with a discount of 3 % from 100 pieces on.'

const texts: Record<string, string[]> = {
  'lease.pdf': [lease],
  'contracts/lease.pdf': [lease],
  'Offer 7.docx': [offer],
  'scan.pdf': [],
}
const files = { names: Object.keys(texts), texts: (name: string) => texts[name] ?? [] }

test.each([
  ['the same words', 'lease.pdf says "The tenant pays 1,200 crowns each month."'],
  ['other spacing', 'lease.pdf says "The  tenant pays\n1,200 crowns   each month."'],
  ['another case and no full stop', 'In lease.pdf: "the term of notice is three months"'],
  ['hyphens of a line', 'lease.pdf: “Late payment costs 5 % a year”.'],
  ['other marks within', "lease.pdf: “costs 5 % a year, as 'usual' in the trade”"],
  ['marks of German', 'In lease.pdf steht: „The tenant pays 1,200 crowns each month“.'],
  ['guillemets', 'lease.pdf: « The tenant pays 1,200 crowns each month »'],
  ['single marks', "lease.pdf: 'Repairs of up to 100 crowns are the tenant's own'"],
  ['an ellipsis', 'lease.pdf: "The tenant pays […] three months to the end of a quarter"'],
  ['an ellipsis in brackets', 'lease.pdf: "The tenant pays (...) three months (…) end"'],
  ['an ellipsis of spaces', 'lease.pdf: "The tenant pays [. . .] three months to the end"'],
  ['a list', 'lease.pdf:\n\n> - The tenant pays 1,200 crowns\n> - Repairs of up to 100 crowns'],
  ['marks of Swedish', 'lease.pdf: ”The tenant pays 1,200 crowns”'],
  ['emphasis', 'lease.pdf: "The tenant pays **1,200 crowns** each month"'],
  ['a source behind it', '"The price is 12 crowns a piece" (Offer 7.docx), see lease.pdf'],
  ['a source of two', 'lease.pdf and Offer 7.docx: "The price is 12 crowns a piece"'],
  ['a whole path', '`contracts/lease.pdf`: "The tenant pays 1,200 crowns each month"'],
  [
    'a blockquote',
    'lease.pdf:\n\n> The tenant pays 1,200 crowns each month.\n> The term of notice',
  ],
  ['a blockquote with its source', '> The price is 12 crowns a piece\n> — Offer 7.docx, page 1'],
  [
    'two blockquotes',
    '**lease.pdf**\n\n> The term of notice is three months\n>\n> Repairs of up to 100',
  ],
])('a quotation that the file has stays as it is: %s', (_name, answer) => {
  expect(checkQuotations(answer, files)).toEqual({
    answer,
    checked: expect.any(Number),
    not_found: 0,
  })
  expect(checkQuotations(answer, files).checked).toBeGreaterThan(0)
})

test.each([
  [
    'invented words',
    'lease.pdf says "The tenant pays 1,300 crowns each month."',
    'lease.pdf says The tenant pays 1,300 crowns each month. (not found in lease.pdf)',
  ],
  [
    'the words of another file',
    'lease.pdf says "The price is 12 crowns a piece", Offer 7.docx says "with a discount of 3 %".',
    'lease.pdf says The price is 12 crowns a piece (not found in lease.pdf), Offer 7.docx says "with a discount of 3 %".',
  ],
  [
    'a source behind it',
    '"The tenant pays nothing at all" (Offer 7.docx)',
    'The tenant pays nothing at all (not found in Offer 7.docx) (Offer 7.docx)',
  ],
  [
    'marks of German',
    'In lease.pdf steht: „Die Miete beträgt 900 Kronen im Monat“.',
    'In lease.pdf steht: Die Miete beträgt 900 Kronen im Monat (not found in lease.pdf).',
  ],
  [
    'guillemets',
    'lease.pdf : « le loyer est de 900 couronnes »',
    'lease.pdf :  le loyer est de 900 couronnes  (not found in lease.pdf)',
  ],
  [
    'single marks',
    "lease.pdf: 'no repairs are the tenant's own'",
    "lease.pdf: no repairs are the tenant's own (not found in lease.pdf)",
  ],
  [
    'the same words in another order',
    'lease.pdf: "three months to the end … The tenant pays 1,200"',
    'lease.pdf: three months to the end … The tenant pays 1,200 (not found in lease.pdf)',
  ],
  [
    'below a heading',
    '## lease.pdf\n\nThe rent:\n\n- It is said that "the rent is 900 crowns a month".',
    '## lease.pdf\n\nThe rent:\n\n- It is said that the rent is 900 crowns a month (not found in lease.pdf).',
  ],
  [
    'a blockquote',
    'lease.pdf:\n\n> The tenant pays nothing\n> at all, ever.\n\nThat is new.',
    'lease.pdf:\n\nThe tenant pays nothing\nat all, ever. (not found in lease.pdf)\n\nThat is new.',
  ],
  [
    'a blockquote with other line ends',
    'lease.pdf:\r\n\r\n> The tenant pays nothing\r\n> at all, ever.\r\n\r\nThat is new.',
    'lease.pdf:\r\n\r\nThe tenant pays nothing\r\nat all, ever. (not found in lease.pdf)\r\n\r\nThat is new.',
  ],
  [
    'a list',
    'lease.pdf:\n\n> - Repairs of up to 100\n> - The tenant pays 1,200',
    'lease.pdf:\n\n- Repairs of up to 100\n- The tenant pays 1,200 (not found in lease.pdf)',
  ],
  [
    'marks of Swedish',
    'lease.pdf: ”the rent is 900 crowns”',
    'lease.pdf: the rent is 900 crowns (not found in lease.pdf)',
  ],
  [
    'a blockquote in a list with its source',
    '- > the price is 99 crowns — Offer 7.docx',
    '- the price is 99 crowns — Offer 7.docx (not found in Offer 7.docx)',
  ],
  [
    'a quotation within a blockquote',
    '> lease.pdf is new and says "The tenant pays 1,200 crowns"',
    'lease.pdf is new and says "The tenant pays 1,200 crowns" (not found in lease.pdf)',
  ],
])('a quotation that the file does not have loses its marks: %s', (_name, answer, then) => {
  const checked = checkQuotations(answer, files)
  expect(checked.answer).toBe(then)
  expect(checked.not_found).toBe(1)
})

test.each([
  ['no name beside it', 'As they say: "never change a winning team".'],
  ['a name in another section', 'lease.pdf is new.\n\n## More\n\n"never change a winning team"'],
  ['no text at hand', 'scan.pdf says "never change a winning team".'],
  ['fewer words', 'lease.pdf speaks of a "gross monthly rent".'],
  ['code', 'lease.pdf:\n\n```\nsay "never change a winning team"\n```\nand `"a b c d e"`'],
  ['inches', 'lease.pdf: 5" or 6" of snow fall here, and 7" there'],
  ['another file of a like name', 'release.pdf says "never change a winning team".'],
])('what is no quotation of a file at hand stays: %s', (_name, answer) => {
  expect(checkQuotations(answer, files)).toEqual({ answer, checked: 0, not_found: 0 })
})

test('a file without a name, such as `reports/` without its folder, is named nowhere', () => {
  const unnamed = filesAtHand([{ asset: 1, names: ['reports/', '', ' '] }], () => lease)
  const answer = 'They say: "never change a winning team".'
  expect(checkQuotations(answer, unnamed)).toEqual({ answer, checked: 0, not_found: 0 })
})

const rent = 'The tenant pays 1,200 crowns'
const price = 'The price is 12 crowns a piece'

test.each([
  ['a list', `- lease.pdf: "${rent}"\n- Offer 7.docx: "${price}"`],
  ['paragraphs', `lease.pdf: "${rent}"\n\nOffer 7.docx: "${price}"`],
  ['lines', `lease.pdf: "${rent}"\nOffer 7.docx: "${price}"`],
  ['lines with a sign', `lease.pdf: "${rent}"\r\n\r\nOffer 7.docx: "${price}"`],
  ['names in bold', `**lease.pdf**\n\n> ${rent}\n\n**Offer 7.docx**\n\n> ${price}`],
  ['sentences', `lease.pdf says "${rent} each month." Offer 7.docx says "${price}".`],
  ['sources behind', `"${rent}" is in lease.pdf. "${price}" is in Offer 7.docx.`],
  ['sources by dashes', `"${rent}" — lease.pdf\n"${price}" — Offer 7.docx`],
  ['signed', `> ${rent}\n\n— lease.pdf\n\n> ${price}\n\n— Offer 7.docx`],
  ['one about the other', `It is "${rent}" (lease.pdf). "${price}" is what Offer 7.docx says.`],
  ['rows', `| lease.pdf | "${rent}" |\n| Offer 7.docx | "${price}" |`],
  ['rows with the file behind', `| "${rent}" | lease.pdf |\n| "${price}" | Offer 7.docx |`],
])('of two files, each quotation is looked for in its own: %s', (_name, answer) => {
  expect(checkQuotations(answer, files)).toEqual({ answer, checked: 2, not_found: 0 })
  const invented = answer.replace('crowns', 'ducats').replace('12', '13')
  const of_invented = checkQuotations(invented, files)
  expect(of_invented.not_found).toBe(2)
})

test('a file that only a heading above the section names is the source', () => {
  const answer = `# lease.pdf\n\n## Rent\n\n"${rent}"\n\n## Term\n\n"never to be ended at all"`
  expect(checkQuotations(answer, files)).toMatchObject({ checked: 2, not_found: 1 })
})

test.each([
  ['Verträge.pdf'.normalize('NFD'), 'Verträge.pdf'],
  ['Verträge.pdf', 'Verträge.pdf'.normalize('NFD')],
  ['lease_2024[1].pdf', 'lease\\_2024\\[1\\].pdf'],
  ['\u202elease\u200f.pdf', 'lease.pdf'],
])('a file %j is the one that an answer calls %j', (name, written) => {
  const one = filesAtHand([{ asset: 1, names: [name] }], () => lease)
  const answer = `${written} says "${rent}" and "never change a winning team".`
  expect(checkQuotations(answer, one)).toMatchObject({ checked: 2, not_found: 1 })
  const block = `> never change a winning team\n> (${written})`
  expect(checkQuotations(block, one)).toMatchObject({ checked: 1, not_found: 1 })
})

test('thousands of quotations take no time', () => {
  const said = Array.from(
    { length: 5_000 },
    (_, at) => `lease.pdf says "the tenant pays ${at} crowns". `,
  )
  const quoted = Array.from({ length: 20_000 }, (_, at) => `> the tenant pays ${at} crowns\n>\n`)
  const answer = [...said.map((line) => `${line}${'word '.repeat(20)}\n\n`), ...quoted].join('')
  const begun_ms = performance.now()
  expect(checkQuotations(answer, files).not_found).toBeGreaterThan(24_900)
  expect(performance.now() - begun_ms).toBeLessThan(10_000)
})

const word = fc.constantFrom(
  ...'the price of a valve is 12 crowns from 1 May 2026 on and more'.split(' '),
)
const sentence = fc.array(word, { minLength: 5, maxLength: 30 }).map((words) => words.join(' '))
const marks = fc.constantFrom(['"', '"'], ['“', '”'], ['„', '“'], ['« ', ' »'], ['‘', '’'])
const blanks = fc.constantFrom('  ', '\n', '\t', '\u00a0', ' \u200b')

test('however a file is quoted with other spacing and marks, the quotation stays', () => {
  const quoted = fc.tuple(sentence, sentence, sentence, marks, blanks)
  fc.assert(
    fc.property(quoted, ([before, said, after, [open, close], blank]) => {
      const text = `${before} ${said} ${after}`
      const answer = `a.txt says ${open}${said.replaceAll(' ', blank)}${close}.`
      const checked = checkQuotations(answer, { names: ['a.txt'], texts: () => [text] })
      expect(checked).toEqual({ answer, checked: 1, not_found: 0 })
    }),
  )
})

test('however a text is invented, no mark is left of it, and each word', () => {
  const invented = fc.tuple(sentence, sentence, fc.nat(29), marks)
  fc.assert(
    fc.property(invented, ([text, said, at, [open, close]]) => {
      const words = said.split(' ').toSpliced(at % said.split(' ').length, 0, 'unheard-of')
      const answer = `a.txt says ${open}${words.join(' ')}${close}.`
      const checked = checkQuotations(answer, { names: ['a.txt'], texts: () => [text] })
      expect(checked.not_found).toBe(1)
      expect(checked.answer).not.toMatch(/["“”„«»‘’]/)
      expect(checked.answer).toContain(`${words.join(' ')}`)
    }),
  )
})
