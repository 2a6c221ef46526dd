import { day_ms } from '../../base/time/time.ts'
import { isTelling, wordsOf } from './question.ts'

type Language = 'en' | 'de'
type Span = 'today' | 'yesterday' | 'week' | 'month'

/** A question about the files as such, which no passage answers. */
export interface EverydayQuestion {
  kind: 'new' | 'count' | 'list' | 'about'
  language: Language
  /** Only files that came in since then. */
  since?: Span
  /** What else the question names, such as `contracts` of "How many contracts are there?". */
  subject: string[]
}

const patterns: readonly (readonly [
  kind: EverydayQuestion['kind'],
  language: Language,
  pattern: RegExp,
])[] = [
  ['count', 'en', /\bhow many\b|\bnumber of (?:files|documents)\b|\bcount (?:of |the |all )/],
  ['count', 'de', /\bwie ?viele?\b|\banzahl (?:der|aller|an)\b/],
  [
    'new',
    'en',
    /^(?:is there )?anything new\b|\bwhat(?:'s|’s| is| has been| are| was)? (?:new|changed|added|the news)\b/,
  ],
  [
    'new',
    'en',
    /\bwhat (?:has )?(?:came|come|arrived)\b|\b(?:latest|newest|most recent|new) (?:files|documents|uploads)\b/,
  ],
  [
    'new',
    'en',
    /\b(?:which|what) (?:new )?(?:files|documents)\b.*\b(?:came|come|arrived|new|added|uploaded|received)\b/,
  ],
  [
    'new',
    'de',
    /\bwas (?:ist|gibt es|gibt's|gibts|hat sich|kam|kommt) (?:heute |gestern |alles |an )?(?:neu|neue|neues|geändert|getan|herein|rein|dazu)\b/,
  ],
  [
    'new',
    'de',
    /\b(?:gibt es|gibt's) (?:etwas |was )?neues\b|\bneuigkeiten\b|\b(?:neueste|neuesten|letzten) (?:dateien|dokumente)\b/,
  ],
  [
    'new',
    'de',
    /\bwelche (?:neuen )?(?:dateien|dokumente)\b.*\b(?:kam|kamen|gekommen|eingegangen|eingetroffen|neu|dazugekommen)\b|\bwas kam (?:heute|gestern)\b/,
  ],
  [
    'list',
    'en',
    /\b(?:list|show|name|give)\b(?: me)?(?: a list of)?(?: all| every)?(?: of)?(?: the| my| our)? (?:files|documents)\b/,
  ],
  ['list', 'en', /\b(?:which|what) (?:files|documents) (?:are|do|exist|have)\b/],
  [
    'list',
    'de',
    /\b(?:liste|zeige?|nenne?|gib)\b(?: mir| uns)?(?: eine liste)?(?: alle| aller| die| der)* (?:dateien|dokumente)\b/,
  ],
  ['list', 'de', /\bwelche (?:dateien|dokumente) (?:gibt|hast|haben|sind|liegen)\b/],
  [
    'about',
    'en',
    /\bwhat (?:is|are) (?:this|these|it|they|that|those|all of this|everything|the (?:files?|documents?|folders?|project))(?: files?| documents?| folders?| project)? (?:all )?about\b/,
  ],
  [
    'about',
    'en',
    /^(?:please )?(?:summari[sz]e|(?:give (?:me |us )?)?(?:an? )?(?:overview|summary))(?: of)?(?: everything| it all| all)?(?: the| these| my| our)?(?: files| documents)?\W*$/,
  ],
  [
    'about',
    'de',
    /\b(?:worum|um was) (?:geht|handelt)\b(?: es| sich)*(?: hier| darin| in (?:den|diesen) (?:dateien|dokumenten))?\W*$/,
  ],
  [
    'about',
    'de',
    /^(?:bitte )?(?:fasse?|fass) (?:alles|die dateien|die dokumente|das)(?: bitte)? zusammen|^(?:gib (?:mir |uns )?)?(?:einen? )?(?:überblick|zusammenfassung)\W*$/,
  ],
]

const spans: readonly (readonly [Span, RegExp])[] = [
  ['today', /\b(?:today|heute|heutigen?)\b/],
  ['yesterday', /\b(?:yesterday|gestern)\b/],
  ['week', /\b(?:this|last|past) week\b|\b(?:diese|letzte|vergangene)[rn]? woche\b/],
  ['month', /\b(?:this|last|past) month\b|\b(?:diese|letzte|vergangene)[nm]? monat\b/],
]

/** Words of everyday questions that name no subject. */
const plain_words = new Set(
  `added all anything are arrived came change changed come count day documents everything exist files get got has here here's
included inside latest left list months news newest now number overall overview project received recent recently summary
there things this today total up upload uploaded uploads week yesterday s
alle aller alles angekommen da dabei darin dateien dazu dazugekommen diese diesen diese dieser eingegangen eingetroffen es etwas
gekommen gestern gesamt geht geändert gibt gibts haben handelt hast heute herein hier insgesamt kam kamen letzte letzten letzter
liegen mal mir monat neueste neuesten neuigkeiten projekt rein sich sind tag uns vorhanden was woche worum überblick zusammenfassung`.split(
    /\s+/,
  ),
)

/** A longer text has a question of its own. */
const max_everyday_words = 16

/** The question about the files as such that this is; undefined if it is none. */
export function everydayQuestion(request: string): EverydayQuestion | undefined {
  const text = request.toLowerCase().replace(/\s+/g, ' ').trim()
  if (text.split(' ').length > max_everyday_words) return undefined
  const found = patterns.find(([, , pattern]) => pattern.test(text))
  if (!found) return undefined
  const [kind, language] = found
  const since = spans.find(([, pattern]) => pattern.test(text))?.[0]
  const subject = [...wordsOf(text)].filter((word) => isTelling(word) && !plain_words.has(word))
  return { kind, language, subject, ...(since && { since }) }
}

/** Unix ms from which files count. `midnight_ms`: the beginning of today. */
export function sinceOf(since: Span, midnight_ms: number): number {
  const days: Record<Span, number> = { today: 0, yesterday: 1, week: 7, month: 30 }
  return midnight_ms - days[since] * day_ms
}

/** What the service knows of the files of a scope. */
export interface ScopeFacts {
  files: number
  /** How many of them came in since the time that the question names. */
  recent?: number | undefined
  /** How many have a word of the subject in their names. */
  named?: number | undefined
  /** Newest first, each with its time for users. */
  newest: readonly { name: string; time: string }[]
}

const texts = {
  en: {
    files: (count: number) => (count === 1 ? '1 file is there.' : `${count} files are there.`),
    recent: (count: number, since: Span) => {
      const spans = {
        today: 'today',
        yesterday: 'since yesterday',
        week: 'within a week',
        month: 'within a month',
      }
      return `${count} of them came in ${spans[since]}.`
    },
    named: (count: number, words: string) =>
      `${count} of them ${count === 1 ? 'has' : 'have'} ${words} in the name.`,
    newest: 'The newest:',
  },
  de: {
    files: (count: number) => (count === 1 ? '1 Datei ist da.' : `${count} Dateien sind da.`),
    recent: (count: number, since: Span) => {
      const spans = {
        today: 'heute',
        yesterday: 'seit gestern',
        week: 'in einer Woche',
        month: 'in einem Monat',
      }
      return `${count} davon ${count === 1 ? 'kam' : 'kamen'} ${spans[since]}.`
    },
    named: (count: number, words: string) =>
      `${count} davon ${count === 1 ? 'hat' : 'haben'} ${words} im Namen.`,
    newest: 'Die neuesten:',
  },
}

/** The answer from counts, names and times, in the language of the question. */
export function overviewText(
  { language, since, subject }: EverydayQuestion,
  facts: ScopeFacts,
): string {
  const words = texts[language]
  const sentences = [words.files(facts.files)]
  if (since && facts.recent !== undefined) sentences.push(words.recent(facts.recent, since))
  if (facts.named !== undefined && facts.named > 0)
    sentences.push(words.named(facts.named, subject.join(', ')))
  if (facts.newest.length === 0) return sentences.join(' ')
  const lines = facts.newest.map(({ name, time }) => `- ${name} (${time})`)
  return [`${sentences.join(' ')} ${words.newest}`, '', ...lines].join('\n')
}
