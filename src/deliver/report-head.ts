/**
 * The facts of a report, which need no model: plain data, in the language of the report. Each
 * delivery and the page show it in a form of their own.
 */
export interface ReportHead {
  language: 'en' | 'de'
  /** The prompt and its local date. */
  title: string
  /** Of a message: prompt, date, and the counts. */
  subject: string
  /** The prompt's own words, in one line. */
  question: string
  /** From when to when the files came. */
  period: string
  /** Such as `3 new · 1 gone`. */
  counts: string
  coverage: string
  /** What a reader must know of the answer; empty if there is nothing. */
  remarks: readonly string[]
  /** What needs a reader most comes first: of the files, those that were not read. */
  lines: readonly HeadLine[]
  /** These stand behind the answer, so that they do not bury it. */
  others: readonly HeadLine[]
  /** What the lines leave out, as sentences that follow the last line. */
  more: readonly string[]
  labels: HeadLabels
}

/** One file. */
export interface HeadLine {
  kind:
    | 'new'
    | 'changed'
    | 'again'
    | 'changed_to_known'
    | 'gone'
    | 'moved'
    | 'refused'
    | 'still_refused'
  /** FOLDER/PATH. */
  name: string
  /** What there is to say of it, such as `new, 22 Nov 2026, 17:04, 12 kB, read whole`. */
  text: string
  /** Its page; absent if the page has no address, or does not have the file any more. */
  url?: string
  /** Absent if nothing says what was read of it. */
  read?: 'whole' | 'part' | 'not'
}

/** Words around the data. */
interface HeadLabels {
  question: string
  period: string
  /** Follows the lines, if there are others. */
  others_below: string
  /** Title of the others. */
  others: string
  /** Link to the report on the page. */
  page: string
  shortened: string
}
