/** A language by its letters beyond ASCII, small ones. The order does not matter. */
interface Language {
  letters: ReadonlySet<string>
  frequent: ReadonlySet<string>
  is_latin: boolean
  /** A letter and the next one that do not stand together in it. */
  never?: RegExp | undefined
  /** The form of each of its words; absent if they have many. */
  word?: RegExp | undefined
}

/** Frequent letters, rare ones, and pairs that the language does not have. */
const latin: readonly (readonly [frequent: string, rare?: string, never?: RegExp])[] = [
  ['äöüß'],
  ['éèàêçôûœ', 'âëîïæùü', /ç[^aou\W]/],
  ['áéíóúñ', 'ü'],
  ['áãçéêíóõâàú', 'ôü', /ç[^aou\W]|ã[^oes\W]|õ[^e\W]/],
  ['àèéìòù', 'íîóú'],
  ['ëéïè', 'áêóöü'],
  ['åäö', 'éü'],
  ['æøå', 'äéöü'],
  ['áéíóúðæö', 'ýþ'],
  ['ąćęłńóśźż'],
  ['áčéěířšůúýž', 'ďňóť'],
  ['áčéíľšťúýž', 'äďĺňóôŕ'],
  ['áéíóöőü', 'úű'],
  ['ăâîșțşţ'],
  ['čćđšž'],
  // The small letter of İ begins with an i.
  ['çğıöşüi', 'âî'],
  ['ąčėšųūž', 'ęį'],
  ['āēīļņšūž', 'čģķō'],
  ['äõöü', 'šž'],
  ['àçèéíòó', 'ïúü', /ç[^aou\W]/],
  ['ëç', 'áé'],
  // Words of several Western languages in one text.
  ['', 'àáâãäåæçèéêëìíîïñòóôõöøùúûüßœ'],
]

/** A word is one syllable, with marks of its vowel and of its tone. */
const vietnamese_letters = new Set(
  'àáâãèéêìíòóôõùúýăđĩũơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ\u0300\u0301\u0303\u0309\u0323',
)
const vietnamese: Language = {
  letters: vietnamese_letters,
  frequent: vietnamese_letters,
  is_latin: true,
  word: /^(?:[bcdghklmnpqrstvxđ]|ch|gh|gi|kh|ngh?|nh|ph|qu|th|tr)?[aeiouy]{1,3}(?:c|ch|m|n|ng|nh|p|t)?$/,
}

/** Each word has a vowel. Other alphabets look like Cyrillic without vowels. */
const cyrillic_word = /[аеиоуыэюяіє]|^.$/

const other_scripts: readonly (readonly [letters: string, frequent: string])[] = [
  ['абвгдежзийклмнопрстуфхцчшщъыьэюяё', 'оеаинтсрвлкмдпу'],
  ['абвгґдеєжзиіїйклмнопрстуфхцчшщьюя', 'оаинтвіерсклум'],
  ['абвгдђежзијклљмнњопрстћуфхцчџшѓќѕ', 'аоиентсрјвкумд'],
  ['αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ', 'αοιετσνηυρπκλμςόίάέή'],
  ['אבגדהוזחטיכלמנסעפצקרשתךםןףץ\u05b0\u05b4\u05b5\u05b6\u05b7\u05b8\u05b9\u05bc', 'יוהלאברתשמנםד'],
  [
    'ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىي\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652',
    'الينموترةبعد',
  ],
  ['กขฃคฅฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรฤลวศษสหฬอฮฯะัาำิีึืฺุูเแโใไๅๆ็่้๊๋์', 'านรอกเงมยลวดทสตะปบคห่้ีัิ'],
  [
    'ぁあぃいうぇえおかがきぎくぐけげこごさざしじすずせぜそぞただちっつづてでとどなにぬねのはばひびふへべほぼまみむめもゃやゅゆょよらりるれろわをんァアィイゥウェエォオカガキギクグケゲコゴサザシジスズセゼソタダチッツテデトドナニネノハバパヒビピフブプヘベペホボポマミムメモャヤュユョヨラリルレロワンー日会明本人大年月',
    'のにはをたがでてとしれさいるなもすまかりっくうこんあ日会明本',
  ],
  [
    '',
    '的一是不了在人有我他这中大来上个国们到说为子和你地出道也时年得就那要下以生会自着去之过家学对可里后么心多天而能好都然没日于起还发成事只作当想看文无开手用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理给话开始请',
  ],
  [
    '',
    '的一是不了在人有我他這中大來上個國們到說為子和你地出道也時年得就那要下以生會自著去之過家學對可裡後麼心多天而能好都然沒日於起還發成事只作當想看文無開手用主行方又如前所本見經頭面公同三已老從動兩長知民樣現分將外但身些與高意進把法此實回二理給話始請',
  ],
  [
    '',
    '이다는에을가고의하지기로사한를은서도어니습시있인자라나대만부전정일수해리과으제보상아구장그들여게회내',
  ],
].map(([letters, frequent]) => [letters!, frequent!] as const)

const languages: readonly Language[] = [
  ...latin.map(([frequent, rare = '', never]) => ({
    letters: new Set(frequent + rare),
    frequent: new Set(frequent),
    is_latin: true,
    never,
  })),
  vietnamese,
  ...other_scripts.map(([letters, frequent]) => ({
    letters: new Set(letters + frequent),
    frequent: new Set(frequent),
    is_latin: false,
    word: frequent.includes('о') ? cyrillic_word : undefined,
  })),
]

/**
 * Signs of normal texts. The first ones open a quote or a sentence, so no letter is before them.
 */
const openers = new Set('„“‚‘«‹¿¡')
const signs = new Set('”’»›–—…€£§°²³½¼©®™•µº\u00a0·、。「」，．！？（）：；・～―')
/** Words of one letter beyond ASCII. */
const lone_letters = new Set('àáâèéêíóòôúåäöùıœæøоаивуясіїєйηοήόאב')

/** What a character beyond ASCII is worth where it stands. */
interface Worth {
  /** Of a letter, the small one; undefined for a sign. */
  small?: string
  /** For a language of a Latin script that has the letter; of a sign, for all languages. */
  points: number
  /** For a language of a script of its own that has the letter. */
  script_points?: number
  /** Of Han characters and Korean syllables only the frequent ones are listed. */
  is_han?: boolean
}

interface Occurrence extends Worth {
  /** The letter and the next one, small ones. */
  pair: string
  /** The word around it, small and without marks. */
  word: string
}

/** Polish has four in `żółć`. Whole words of them are in another script. */
const max_latin_run = 4

const is_letter = /[\p{L}\p{M}]/u
const is_ascii_letter = /[a-z]/i
const is_han_or_korean = /[\u4e00-\u9fa5\uac00-\ud7a3]/
/** Enough for the statistics; more would not change them. */
const max_occurrences = 300

/**
 * How plausible a text is by its characters beyond ASCII. `points`: 1 if all are letters of one
 * language where letters may be, below 0 if most are not. `letters`: how many show it.
 */
export function plausibility(text: string): { points: number; letters: number } {
  const found: Occurrence[] = []
  // A longer run counts as several: none of a Latin script is that long.
  for (const { 0: run, index } of text.matchAll(/[^\0-\x7f]{1,99}/gu)) {
    for (let at = index; at < index + run.length; at++) {
      const one = worthOf(text.charAt(at - 1), text.charAt(at), text.charAt(at + 1), run)
      const pair = text.slice(at, at + 2).toLowerCase()
      found.push({ ...one, pair, word: wordAround(text, at) })
    }
    if (found.length >= max_occurrences) break
  }
  if (found.length === 0) return { points: 1, letters: 0 }
  const sums = languages.map((language) =>
    found.reduce((sum, one) => sum + pointsIn(language, one), 0),
  )
  return { points: Math.max(...sums) / found.length, letters: found.length }
}

const rare_points = 0.5

/** UTF-16 units on each side. A syllable of Vietnamese has at most seven letters and a mark. */
const max_syllable_length = 8

/** The word around a letter, small and without marks, as far as it matters for a syllable. */
function wordAround(text: string, at: number): string {
  const before = /[\p{L}\p{M}]*$/u.exec(text.slice(Math.max(0, at - max_syllable_length), at))
  const after = /^[\p{L}\p{M}]*/u.exec(text.slice(at, at + max_syllable_length))
  return `${before}${after}`.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')
}

function pointsIn(language: Language, one: Occurrence): number {
  const { small, points, script_points = points, is_han } = one
  if (small === undefined) return points
  const { letters, is_latin, never, word } = language
  if (never?.test(one.pair) || word?.test(one.word) === false) return -1
  if (!letters.has(small)) return is_han && !is_latin ? 0.2 : -1
  const usual = is_latin ? points : script_points
  return usual < 1 || language.frequent.has(small) ? usual : rare_points
}

/** `run`: the characters beyond ASCII that stand together. */
function worthOf(before: string, letter: string, after: string, run: string): Worth {
  const is_first = !is_letter.test(before)
  const is_last = !is_letter.test(after)
  const is_inside = !is_first && !is_last && !is_han_or_korean.test(before + after)
  if (frame.test(letter)) return { points: is_first && is_last ? 0.5 : -1 }
  if (before === letter && after === letter) return { points: -1 }
  if (openers.has(letter)) return { points: is_first ? 0.5 : -1 }
  if (signs.has(letter)) return { points: is_inside && !inner_signs.has(letter) ? -1 : 0.5 }
  const small = letter.toLowerCase().charAt(0)
  if (/\d/.test(before) && !is_han_or_korean.test(letter)) return { points: 0.2 }
  const is_capital = small !== letter
  const is_han = is_han_or_korean.test(letter)
  const worth = { small, is_han }
  if (is_capital && /\p{Ll}/u.test(before)) return { ...worth, points: -1, script_points: -1 }
  if (is_first && is_last && !is_han) {
    const alone = lone_letters.has(small) ? 0.6 : -0.5
    return { ...worth, points: alone, script_points: alone }
  }
  const has_ascii = is_ascii_letter.test(before) || is_ascii_letter.test(after)
  const is_misplaced = is_first ? never_first.test(letter) : !is_last && only_last.test(letter)
  const is_in_capitals = is_capital && /\p{Lu}/u.test(before)
  const usual = is_in_capitals ? 0.4 : 1
  return {
    ...worth,
    points: run.length > max_latin_run ? -0.5 : usual,
    script_points: has_ascii || is_misplaced ? -1 : usual,
  }
}

/** Lines of tables in the character sets of DOS. */
const frame = /[\u2500-\u259f]/
/** Signs that stand between two letters. */
const inner_signs = new Set('’·')
/** Marks that no word begins with, and letters that only end one. */
const never_first = /[\p{M}ьъыςםןץףךةىะาำ]/u
const only_last = /[ςםןץףךةى]/u
