import { describe, expect, test } from 'vitest'
import { extractDocument } from '../../../../src/service/ingest/extract-document.ts'
import { officePackage, presentationPart, type RelatedPart } from '../office-package.ts'

const limits = { unpacked_bytes: 4_000_000, text_length: 1_000_000 }

async function read(...slides: Parameters<typeof presentationPart>[0]) {
  const bytes = officePackage(presentationPart(slides))
  return await extractDocument({ filename: 'a.pptx', mime_type: '', bytes }, limits)
}

const paragraph = (words: string) => `<a:p><a:r><a:t>${words}</a:t></a:r></a:p>`
const shape = (words: string, placeholder = 'body') =>
  `<p:sp><p:nvSpPr><p:cNvPr id="2" name="Shape"/><p:nvPr><p:ph type="${placeholder}"/></p:nvPr></p:nvSpPr><p:txBody>${paragraph(words)}</p:txBody></p:sp>`
const slide = (content: string, attributes = '') => `<p:sld ${attributes}>${content}</p:sld>`
const picture = (width: number, height: number, description = '') =>
  `<p:pic><p:nvPicPr><p:cNvPr id="3" name="Picture 2" descr="${description}"/></p:nvPicPr><p:blipFill><a:blip/></p:blipFill><p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="${width}" cy="${height}"/></a:xfrm></p:spPr></p:pic>`
const full = picture(9_144_000, 6_858_000)

async function linesOf(content: string, related: readonly RelatedPart[] = []): Promise<string[]> {
  const found = await read({ content: slide(content), related })
  return 'text' in found ? found.text.split(/\n+/).filter(Boolean) : [found.unreadable]
}

describe('slides', () => {
  test('that are hidden are marked', async () =>
    expect(await read({ content: slide(shape('a'), 'show="0"') })).toMatchObject({
      text: '(hidden slide)\n\na',
    }))

  test('have tables whose cells stand under their columns', async () => {
    const cell = (words: string) => `<a:tc><a:txBody>${paragraph(words)}</a:txBody></a:tc>`
    const row = (...cells: string[]) => `<a:tr>${cells.map(cell).join('')}</a:tr>`
    const table = `<p:graphicFrame><a:tbl>${row('Name', 'Deputy', 'Pay')}${row('Anna', '', '5000')}</a:tbl></p:graphicFrame>`
    expect(await linesOf(table)).toEqual(['Name\tDeputy\tPay', 'Anna\t\t5000'])
  })

  test('have SmartArt, charts, comments and notes', async () => {
    const parts: RelatedPart[] = [
      {
        kind: 'diagramData',
        name: 'ppt/diagrams/data1.xml',
        content: `<dgm:pt>${paragraph('in a circle')}</dgm:pt>`,
      },
      {
        kind: 'chart',
        name: 'ppt/charts/chart1.xml',
        content: `<c:title>${paragraph('Tides')}</c:title>`,
      },
      {
        kind: 'comments',
        name: 'ppt/comments/comment1.xml',
        content: '<p:cmLst><p:cm><p:pos/><p:text>old comment</p:text></p:cm></p:cmLst>',
      },
      {
        kind: 'comments',
        name: 'ppt/comments/modern.xml',
        content: `<p188:cmLst><p188:cm><p188:replyLst><p188:reply><p188:txBody>${paragraph('a reply')}</p188:txBody></p188:reply></p188:replyLst><p188:txBody>${paragraph('new comment')}</p188:txBody></p188:cm></p188:cmLst>`,
      },
      {
        kind: 'notesSlide',
        name: 'ppt/notesSlides/notesSlide1.xml',
        content: `<p:notes>${shape('7', 'sldNum')}${shape('speak slowly')}</p:notes>`,
      },
    ]
    expect(await linesOf(shape('title'), parts)).toEqual([
      'title',
      'in a circle',
      'Tides',
      'Comment: old comment',
      'Comment: a reply',
      'Comment: new comment',
      'Notes:',
      'speak slowly',
    ])
  })

  test('say their footers once, and not their numbers', async () => {
    const content = slide(
      `${shape('own')}${shape('Port office', 'ftr')}${shape('4', 'sldNum')}<p:sp>${paragraph('').replace('<a:r>', '<a:fld type="slidenum"><a:t>4</a:t></a:fld><a:r>')}</p:sp>`,
    )
    expect(await read({ content }, { content })).toMatchObject({
      text: 'own\n\nPort office\n\nown',
    })
  })

  test('without words but a footer and an alternative text have no text', async () => {
    const content = slide(
      `${picture(9_144_000, 6_858_000, 'Plan of the pier')}${shape('x', 'ftr')}`,
    )
    expect(await read({ content })).toEqual({
      unreadable: 'it has no text, only pictures',
      has_no_text: true,
    })
  })

  test('have alternative texts', async () =>
    expect(await linesOf(shape('a') + picture(1, 1, 'Plan of the pier'))).toEqual([
      'a',
      'Picture: Plan of the pier',
    ]))
})

describe('pictures', () => {
  const words = { content: slide(shape('word '.repeat(30))) }
  const group = (content: string) =>
    `<p:grpSp><p:grpSpPr><a:xfrm><a:ext cx="914400" cy="685800"/><a:chExt cx="9144000" cy="6858000"/></a:xfrm></p:grpSpPr>${content}</p:grpSp>`
  const filled = full.replaceAll('p:pic', 'p:sp')
  const background = '<p:bg><p:bgPr><a:blipFill/></p:bgPr></p:bg>'

  test.each<[string, string, number]>([
    ['that fill a slide are not seen', full, 1],
    ['that fill a shape are not seen', filled, 1],
    ['beside a title are not seen', shape('title') + full, 1],
    ['beside a text are seen', shape('word '.repeat(30)) + full, 2],
    ['that are small are seen', picture(2_000_000, 2_000_000), 2],
    ['in a group that is small are seen', group(full), 2],
    ['behind everything are not seen alone', background, 1],
    ['behind a title are seen', background + shape('title'), 2],
  ])('%s', async (_what, content, seen) =>
    expect(await read(words, { content: slide(content) })).toMatchObject({
      reading: { of: 2, seen, unit: 'slide' },
    }),
  )
})

test('a slide that is missing or has a broken chart is named', async () => {
  const chart = { kind: 'chart', name: 'ppt/charts/chart1.xml', content: '<c:chart>' }
  const bytes = officePackage(
    presentationPart([
      { content: slide(shape('one')) },
      { content: slide(shape('two')), related: [chart] },
      { content: slide(shape('three')) },
    ]),
  )
  const renamed = Buffer.from(
    bytes.toString('latin1').replaceAll('ppt/slides/slide3.xml', 'ppt/slides/other3.xml'),
    'latin1',
  )
  expect(
    await extractDocument({ filename: 'a.potx', mime_type: '', bytes: renamed }, limits),
  ).toMatchObject({
    text: expect.stringContaining('two'),
    reading: {
      of: 3,
      seen: 1,
      why: 'slide 2 is broken (ppt/charts/chart1.xml); slide 3 is broken (ppt/slides/slide3.xml is missing)',
    },
  })
})
