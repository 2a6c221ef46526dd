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
    gone: () => 'gone',
    moved: (from = '') => (from === '' ? 'moved' : `moved from ${from}`),
    refused: (why = 'refused by the service') => `refused: ${why}`,
    still_refused: (why = 'refused by the service') => `still refused: ${why}`,
  },
  others_below: (count: string) => `… ${count} more behind the answer`,
  in_manifest: (count: string) => `… and ${count} more, in the manifest`,
  same_bytes: {
    one: '… 1 more file has the same bytes as one of these',
    many: (files: string) => `… ${files} more files have the same bytes as one of these`,
  },
  part_of: (part: number, parts: number) => `Part ${part} of ${parts}`,
  notes: 'Notes',
  /** Notes of a run are kept in English; each stands in the report in its own language. */
  known_notes: {
    chat_gone: 'the earlier chat is gone, so Sluice started a new one',
    shorter: 'the service refused the question, so Sluice asked with a shorter list of files',
    only_search:
      'the service does not read every file: it searched them for what matches the question',
    found: 'the question was found on the service, and not asked again',
  },
}

const de: Words = {
  locale: 'de-DE',
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
    gone: () => 'nicht mehr da',
    moved: (from = '') => (from === '' ? 'verschoben' : `verschoben von ${from}`),
    refused: (why = 'vom Dienst abgelehnt') => `abgelehnt: ${why}`,
    still_refused: (why = 'vom Dienst abgelehnt') => `weiterhin abgelehnt: ${why}`,
  },
  others_below: (count) => `… ${count} weitere hinter der Antwort`,
  in_manifest: (count) => `… und ${count} weitere, im Manifest`,
  same_bytes: {
    one: '… 1 weitere Datei hat denselben Inhalt wie eine von diesen',
    many: (files) => `… ${files} weitere Dateien haben denselben Inhalt wie eine von diesen`,
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
