import type { Apart } from './rtf-output.ts'

/** Groups without text of the document (RTF 1.9.1, appendix A). */
export const silent_groups = new Set(
  `fonttbl colortbl stylesheet info pict objdata objclass objname objalias objsect themedata
datastore fldinst formfield listtable listoverridetable revtbl rsidtbl generator xmlnstbl filetbl
nonshppict nonesttables shprslt sp mmathPict xe tc rxe txe bkmkstart bkmkend ftnsep ftnsepc ftncn aftnsep
aftnsepc aftncn atnid`.split(/\s+/),
)

/** Groups that are read although `\*` lets other programs pass over them. */
export const optional_groups = new Set(
  `annotation atnauthor shpinst shptxt shppict do dptxbxtext ud footnote fldrslt result
nesttableprops moMath moMathPara`.split(/\s+/),
)

/** Groups whose text stands apart from the text around them. */
export const groups_apart = new Map(
  Object.entries<Apart>({
    header: 'header',
    headerl: 'header',
    headerr: 'header',
    headerf: 'header',
    footer: 'header',
    footerl: 'header',
    footerr: 'header',
    footerf: 'header',
    footnote: 'note',
    annotation: 'comment',
    shptxt: 'box',
    dptxbxtext: 'box',
    atnauthor: 'author',
  }),
)

/** Control words that end a paragraph, or a cell or row of a table or of a table in a cell. */
export const ends = new Set(['par', 'cell', 'row', 'nestcell', 'nestrow'])

/** Control words and symbols that stand for text. */
export const written = new Map(
  Object.entries({
    sect: '\n\n',
    page: '\n\n',
    column: '\n\n',
    line: '\n',
    lbr: '\n',
    softline: '\n',
    tab: '\t',
    emdash: '—',
    endash: '–',
    lquote: '‘',
    rquote: '’',
    ldblquote: '“',
    rdblquote: '”',
    bullet: '•',
    emspace: ' ',
    enspace: ' ',
    qmspace: ' ',
    objattph: ' ',
    '~': '\u00a0',
    _: '-',
    '\t': '\t',
  }),
)

/** Charsets by the number in `\fcharset`: a font's text can have another than the document. */
export const font_charsets: Readonly<Record<number, string>> = {
  0: 'windows-1252',
  77: 'macintosh',
  128: 'shift_jis',
  129: 'euc-kr',
  134: 'gbk',
  136: 'big5',
  161: 'windows-1253',
  162: 'windows-1254',
  163: 'windows-1258',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
  254: 'cp437',
  255: 'cp850',
}

/** Charsets by the numbers of code pages, where the name does not follow from the number. */
const code_pages: Readonly<Record<number, string>> = {
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  10007: 'x-mac-cyrillic',
  20866: 'koi8-r',
  // Outlook keeps Japanese mail in another set than it was sent in.
  50220: 'shift_jis',
  65001: 'utf-8',
}

/** Charsets of a document that has a word for its own. */
export const document_charsets = new Map([
  ['mac', 'macintosh'],
  ['pc', 'cp437'],
  ['pca', 'cp850'],
])

export function charsetOfPage(page: number): string {
  return code_pages[page] ?? (page < 1_000 ? `cp${page}` : `windows-${page}`)
}
