import { counted } from '../base/text/format.ts'
import type { ReportHead } from '../deliver/report-head.ts'

/** Languages of the words that Sluice itself writes into a report. */
export type Language = ReportHead['language']

/** A language has each of these words; the compiler names one that is missing. */
export type Words = typeof en

const en = {
  /** Of dates and numbers (BCP 47). */
  locale: 'en-GB',
  decimal: '.',
  labels: {
    question: 'Question',
    period: 'Period',
    others: 'More files',
    page: 'This report on the page',
    shortened: '… shortened',
  },
  from_to: (from: string, to: string) => `${from} to ${to}`,
  from_beginning: (to: string) => `since the beginning, to ${to}`,
  counts: {
    new: 'new',
    changed: 'changed',
    again: 'asked about again',
    gone: 'gone',
    moved: 'moved',
    refused: 'refused',
    still_refused: 'still refused',
  },
  nothing_new: 'nothing new',
  empty: 'no answer',
  empty_run: (why: string) => `This run is empty: ${why}`,
  read: { whole: 'read whole', part: 'read in part', not: 'not read' },
  /** The line of a file that no question is about. */
  event: {
    changed_to_known: () => 'changed; what it now holds was there before',
    gone: () => 'gone',
    moved: (from = '') => (from === '' ? 'moved' : `moved from ${from}`),
    refused: (why = 'refused by the service') => `refused: ${why}`,
    still_refused: (why = 'refused by the service') => `still refused: ${why}`,
  },
  others_below: (count: string) => `… ${count} more behind the answer`,
  in_manifest: (count: string) => `… and ${count} more, in the manifest`,
  /** Stands below a list that has each content once. */
  same_bytes: (copies: number) =>
    `${counted(copies, 'more file has', 'more files have')} the same bytes as one of these`,
  /** The clauses of the coverage line, and of the note about files that are given up. */
  coverage: {
    files: (count: number) => counted(count, 'file'),
    of: 'of',
    copies: (count: number) => counted(count, 'is a copy of another', 'are copies of others'),
    asked: (files: string) => `asked about ${files}`,
    unanswered: 'without an answer about them',
    again: 'asked about again next time',
    given_up: {
      asked: 'asked three times',
      read: 'asked three times, not read',
      empty: 'asked three times, no answer',
      for_good: 'not asked about again',
    },
    named: 'named',
    names_none: (files: number) => `names none of its ${counted(files, 'file')}`,
    silent: 'the service does not say which it read',
    not_told: 'of which it does not say it',
    in_part: 'in part',
    readable: 'readable only in part',
    left_are: { 'next time': 'next time', 'left out': 'left out' },
    stages: {
      refused: 'refused',
      moving: 'still changing',
      on_the_way: 'still on the way',
      blocked: 'blocked',
      removed: 'removed on the service',
    },
    no_folders: 'no folders in scope',
    ready: 'ready',
    this_report: 'this report',
    no_scan: 'no complete scan',
    last_scan: 'last complete scan',
    late: 'the next did not end in time',
    offline: 'offline',
    and: 'and',
    more: 'more',
  },
  part_of: (part: number, parts: number) => `Part ${part} of ${parts}`,
  notes: 'Notes',
  /** Notes, and why a run is empty. Runs keep them in English; reports have their own language. */
  known_notes: {
    chat_gone: 'the earlier chat is gone, so Sluice started a new one',
    shorter: 'the service refused the question, so Sluice asked with a shorter list of files',
    only_search:
      'the service does not read every file: it searched them for what matches the question',
    found: 'the question was found on the service, and not asked again',
    no_answer: 'the service gave no answer',
    read_none: 'the service read none of the files',
    same_answer: 'the answer is word for word that of the last report, which is about other files',
  },
}

const german = 'de-DE'

function germanCount(count: number, one: string, many: string): string {
  return counted(count, one, many, german)
}

const de: Words = {
  locale: german,
  decimal: ',',
  labels: {
    question: 'Frage',
    period: 'Zeitraum',
    others: 'Weitere Dateien',
    page: 'Dieser Bericht auf der Seite',
    shortened: '… gekürzt',
  },
  from_to: (from, to) => `${from} bis ${to}`,
  from_beginning: (to) => `von Anfang an bis ${to}`,
  counts: {
    new: 'neu',
    changed: 'geändert',
    again: 'noch einmal gefragt',
    gone: 'nicht mehr da',
    moved: 'verschoben',
    refused: 'abgelehnt',
    still_refused: 'weiterhin abgelehnt',
  },
  nothing_new: 'nichts Neues',
  empty: 'keine Antwort',
  empty_run: (why) => `Dieser Lauf ist leer: ${why}`,
  read: { whole: 'ganz gelesen', part: 'zum Teil gelesen', not: 'nicht gelesen' },
  event: {
    changed_to_known: () => 'geändert; was jetzt darin steht, war schon da',
    gone: () => 'nicht mehr da',
    moved: (from = '') => (from === '' ? 'verschoben' : `verschoben von ${from}`),
    refused: (why = 'vom Dienst abgelehnt') => `abgelehnt: ${why}`,
    still_refused: (why = 'vom Dienst abgelehnt') => `weiterhin abgelehnt: ${why}`,
  },
  others_below: (count) => `… ${count} weitere hinter der Antwort`,
  in_manifest: (count) => `… und ${count} weitere, im Manifest`,
  same_bytes: (copies) =>
    `${germanCount(copies, 'weitere Datei hat', 'weitere Dateien haben')} denselben Inhalt wie eine von diesen`,
  coverage: {
    files: (count) => germanCount(count, 'Datei', 'Dateien'),
    of: 'von',
    copies: (count) => germanCount(count, 'ist die Kopie einer anderen', 'sind Kopien von anderen'),
    asked: (files) => `nach ${files} gefragt`,
    unanswered: 'ohne Antwort darauf',
    again: 'beim nächsten Mal wieder',
    given_up: {
      asked: 'dreimal gefragt',
      read: 'nach drei Fragen nicht gelesen',
      empty: 'nach drei Fragen ohne Antwort',
      for_good: 'danach wird nicht mehr gefragt',
    },
    named: 'genannt',
    names_none: (files) =>
      files === 1
        ? 'die Antwort nennt die Datei nicht'
        : `die Antwort nennt keine der ${germanCount(files, 'Datei', 'Dateien')}`,
    silent: 'der Dienst sagt nicht, welche er gelesen hat',
    not_told: 'ohne Angabe des Dienstes',
    in_part: 'zum Teil',
    readable: 'nur zum Teil lesbar',
    left_are: { 'next time': 'beim nächsten Mal', 'left out': 'ausgelassen' },
    stages: {
      refused: 'abgelehnt',
      moving: 'noch in Änderung',
      on_the_way: 'noch unterwegs',
      blocked: 'blockiert',
      removed: 'beim Dienst entfernt',
    },
    no_folders: 'keine Ordner ausgewählt',
    ready: 'bereit',
    this_report: 'dieser Bericht',
    no_scan: 'noch kein vollständiger Scan',
    last_scan: 'letzter vollständiger Scan',
    late: 'der nächste endete nicht rechtzeitig',
    offline: 'offline',
    and: 'und',
    more: 'weitere',
  },
  part_of: (part, parts) => `Teil ${part} von ${parts}`,
  notes: 'Hinweise',
  known_notes: {
    chat_gone: 'Der bisherige Chat ist nicht mehr da; Sluice hat einen neuen begonnen',
    shorter:
      'Der Dienst hat die Frage abgelehnt; Sluice hat mit einer kürzeren Liste von Dateien gefragt',
    only_search:
      'Der Dienst liest nicht jede Datei: Er hat in ihnen nach dem gesucht, was zur Frage passt',
    found: 'Die Frage war schon beim Dienst und wurde nicht noch einmal gestellt',
    no_answer: 'Der Dienst hat keine Antwort gegeben',
    read_none: 'Der Dienst hat keine der Dateien gelesen',
    same_answer:
      'Die Antwort ist Wort für Wort die des letzten Berichts, in dem es um andere Dateien geht',
  },
}

const all_words: Record<Language, Words> = { en, de }

export function wordsIn(language: Language): Words {
  return all_words[language]
}

/** The texts of notes as runs keep them. */
export const { known_notes } = en

/** A note of a run; one that is not known stays as it is. */
export function noteIn(language: Language, note: string): string {
  const known = Object.keys(known_notes) as (keyof typeof known_notes)[]
  const key = known.find((name) => known_notes[name] === note)
  return key === undefined ? note : all_words[language].known_notes[key]
}
