import { isTelling, wordsOf } from './question.ts'

type Language = 'en' | 'de'

const spans = {
  today: /\b(?:today|heute|heutigen?)\b/,
  yesterday: /\b(?:yesterday|gestern)\b/,
  past_week: /\bpast week\b|\b(?:last|past) (?:7|seven) days\b|\bletzten (?:7|sieben) tagen?\b/,
  last_week: /\blast week\b|\b(?:letzte|vergangene|vorige)[rn]? woche\b/,
  week: /\bthis week\b|\bdiese[rn]? woche\b/,
  last_month: /\b(?:last|past) month\b|\b(?:letzte|vergangene|vorige)[nm]? monat\b/,
  month: /\bthis month\b|\bdiese[nm]? monat\b/,
}
type Span = keyof typeof spans

/** A question about the files as such, which no passage answers. */
export interface EverydayQuestion {
  kind: 'new' | 'count' | 'list' | 'about'
  language: Language
  /** Only files that came in then. */
  span?: Span
  /** What else the question names, such as `contracts` of "How many contracts are there?". */
  subject: string[]
}

const en_files = '(?:files|documents|papers)'
const de_files = '(?:dateien|dokumente|unterlagen)'
/** Words for everything that is there. */
const en_all =
  '(?:this|these|it|they|that|those|here|everything|all of this|(?:this |these |the |our |my )?(?:files?|documents?|folders?|projects?|collection|archive))'
const de_all =
  '(?:hier|darin|das|(?:in )?(?:den|diesen|diesem|dieser|dem|der|die) (?:dateien|dokumenten?|ordner|projekt|sammlung|unterlagen))'
const en_latest = '(?:latest|newest|most recent|last)'
const de_latest = '(?:letzten?|neuesten?|jüngsten?)'
const number = String.raw`(?:(?:\d+|two|three|five|ten|zwei|drei|fünf|zehn) )?`

const patterns = (
  [
    ['count', 'en', String.raw`\bhow many\b|\bnumber of ${en_files}\b|\bcount (?:of |the |all )`],
    ['count', 'de', String.raw`\bwie ?viele?\b|\banzahl (?:der|aller|an)\b`],
    [
      'count',
      'en',
      String.raw`\b(?:what|which) (?:kinds?|types?|sorts?|formats?) of ${en_files}\b`,
    ],
    [
      'count',
      'de',
      String.raw`\bwelche (?:arten?|typen|formate|dateitypen|dateiarten)\b(?: von ${de_files})?\W*$|\bwas für ${de_files}\b`,
    ],
    [
      'new',
      'en',
      String.raw`^(?:is there )?anything new\b|\bwhat(?:'s|’s| is| has been| are| was)? (?:new|changed|added|the news)\b`,
    ],
    [
      'new',
      'en',
      String.raw`\bwhat (?:has )?(?:came|come|arrived)\b|\b(?:${en_latest}|new) (?:${en_files}|uploads)\b`,
    ],
    [
      'new',
      'en',
      String.raw`\b(?:which|what) (?:new )?${en_files}\b.*\b(?:came|come|arrived|new|added|uploaded|received)\b`,
    ],
    [
      'new',
      'de',
      String.raw`\bwas (?:ist|gibt es|gibt's|gibts|hat sich|kam|kommt) (?:heute |gestern |alles |an )?(?:neu|neue|neues|geändert|getan|herein|rein|dazu)\b`,
    ],
    [
      'new',
      'de',
      String.raw`\b(?:gibt es|gibt's) (?:etwas |was )?neues\b|\bneuigkeiten\b|\b(?:${de_latest}|neuen?) ${de_files}\b|\bwas (?:\S+ ){0,5}neu (?:ist|war)\b`,
    ],
    [
      'new',
      'de',
      String.raw`\bwelche (?:neuen )?${de_files}\b.*\b(?:kam|kamen|gekommen|eingegangen|eingetroffen|neu|dazugekommen)\b|\bwas kam (?:heute|gestern)\b`,
    ],
    [
      'about',
      'en',
      String.raw`\bwhat(?:'s|’s| is| are| is in| are in|'s in)? ${en_all}(?: (?:all )?about)?\W*$|\bwhat(?:'s|’s| is) in ${en_all}\W*$`,
    ],
    [
      'about',
      'en',
      String.raw`^(?:please )?(?:summari[sz]e|(?:give (?:me |us )?)?(?:an? )?(?:overview|summary))(?: of)?(?: everything| it all| all)?(?: the| these| my| our)?(?: ${en_files})?\W*$`,
    ],
    [
      'about',
      'de',
      String.raw`\b(?:worum|um was) (?:geht|handelt)\b(?: es| sich)*(?: ${de_all})?\W*$|\bwas (?:ist|steht|liegt) ${de_all}(?: drin)?\W*$`,
    ],
    [
      'about',
      'de',
      String.raw`^(?:bitte )?(?:fasse?|fass) (?:alles|die dateien|die dokumente|das)(?: bitte)? zusammen|^(?:gib (?:mir |uns )?)?(?:einen? )?(?:überblick|zusammenfassung)\W*$`,
    ],
    [
      'list',
      'en',
      String.raw`\b(?:list|show|name|give)(?: me| us)?(?: a list of)?(?: all| every)?(?: of)?(?: the| my| our)?(?: ${en_latest})? ${number}\S+\W*$`,
    ],
    [
      'list',
      'en',
      String.raw`\bwhat (?:is|are|was|were) (?:the|our|my) ${en_latest} ${number}\S+\W*$|\b(?:which|what) \S+ (?:are there|do (?:we|you) have|exist|have you)\b`,
    ],
    [
      'list',
      'de',
      String.raw`\b(?:liste|zeige?|nenne?|gib)(?: mir| uns)?(?: bitte)?(?: eine liste)?(?: alle| aller| die| der| unsere)*(?: ${de_latest})? ${number}\S+(?: auf)?\W*$`,
    ],
    [
      'list',
      'de',
      String.raw`\bwelche \S+ (?:gibt es|hast du|haben wir|habt ihr|sind (?:da|vorhanden)|liegen)\b|\b(?:was|welche[rs]?|wie) (?:ist|sind|lautet) (?:die|das|der|unsere?) ${de_latest} ${number}\S+\W*$`,
    ],
  ] as const
).map(([kind, language, pattern]) => ({ kind, language, pattern: new RegExp(pattern) }))

/** Words of everyday questions that name no subject. */
const plain_words = new Set(
  `added all are change changed come count day days everything exist formats get have here here's included inside kind kinds last
latest left month months news newest now number overall overview papers past project received recent recently summary there
things this today total type types up upload uploaded uploads week yesterday s two three five ten
alle aller alles angekommen art arten da dabei darin dateiarten dateitypen dazu dazugekommen diese diesen dieser eingegangen
eingetroffen es formate gekommen gestern gesamt geht geändert gibts handelt heute herein hier insgesamt jüngste jüngsten kam kamen
letzte letzten letzter liegen mal mir monat neueste neuesten neuigkeiten projekt rein sich sind tag tage tagen typen uns unterlagen
vergangene vergangenen vorhanden was woche worum überblick zusammenfassung zwei drei fünf zehn`.split(
    /\s+/,
  ),
)

/** A longer sentence has a question of its own. */
const max_everyday_words = 16
/** So does a text with more words that tell something. */
const max_subject_words = 4

/** The question about the files as such that this begins with; undefined if it is none. */
export function everydayQuestion(request: string): EverydayQuestion | undefined {
  const whole = request.toLowerCase().replace(/\s+/g, ' ').trim()
  const text = /^.*?[.?!](?= |$)/.exec(whole)?.[0] ?? whole
  if (text.split(' ').length > max_everyday_words) return undefined
  const found = patterns.find(({ pattern }) => pattern.test(text))
  if (!found) return undefined
  const { kind, language } = found
  const span = (Object.keys(spans) as Span[]).find((each) => spans[each].test(text))
  const isSubject = (word: string) =>
    isTelling(word) && !plain_words.has(word) && !/^\d+$/.test(word)
  const subject = kind === 'about' ? [] : [...wordsOf(whole)].filter(isSubject)
  if (subject.length > max_subject_words) return undefined
  return { kind, language, subject, ...(span && { span }) }
}

/** The days of a span, in the zone of this machine: from the first until before the last. */
const days_of: Record<Span, (today: Date) => [from: Date, until: Date]> = {
  today: (day) => [day, daysAfter(day, 1)],
  yesterday: (day) => [daysAfter(day, -1), day],
  past_week: (day) => [daysAfter(day, -6), daysAfter(day, 1)],
  week: (day) => [mondayOf(day), daysAfter(day, 1)],
  last_week: (day) => [daysAfter(mondayOf(day), -7), mondayOf(day)],
  month: (day) => [monthsAfter(day, 0), daysAfter(day, 1)],
  last_month: (day) => [monthsAfter(day, -1), monthsAfter(day, 0)],
}

/** The first and the last millisecond of a span. */
export function periodOf(span: Span, now_ms: number): { from_ms: number; to_ms: number } {
  const now = new Date(now_ms)
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate())
  const [from, until] = days_of[span](today)
  return { from_ms: from.getTime(), to_ms: until.getTime() - 1 }
}

function daysAfter(day: Date, days: number): Date {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + days)
}

function monthsAfter(day: Date, months: number): Date {
  return new Date(day.getFullYear(), day.getMonth() + months, 1)
}

function mondayOf(day: Date): Date {
  return daysAfter(day, -((day.getDay() + 6) % 7))
}
