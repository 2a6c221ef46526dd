import type { MailPart } from './mail-parts.ts'

/** The parts of a mail that are shown as its text, and those that are files. */
export interface SortedParts {
  bodies: readonly MailPart[]
  attachments: readonly MailPart[]
}

/** Signatures, and what only programs read of a saved page. */
const no_content =
  /^(application\/((x-)?pkcs7-signature|pgp-signature|pgp-keys|pgp-encrypted|(x-)?javascript)|text\/(css|javascript|x-amp-html)|font\/.*)$/
/** A text with fewer words beside much longer HTML only says that the HTML is not shown. */
const max_stub_words = 60
const stub_times = 4

/**
 * Sorts the parts of a mail. Of alternatives the plain text counts. A picture that HTML shows in
 * its place is no attachment, nor is a copy of the event of an invitation. `wordsOf`: how many
 * words the reader of a part finds.
 */
export function sortParts(root: MailPart, wordsOf: (part: MailPart) => number): SortedParts {
  const { bodies, attachments } = sort(root, wordsOf)
  const html = leavesOf(root).filter(({ type }) => type === 'text/html')
  const names = namesIn(html.map(({ bytes }) => bytes.toString('latin1')).join('\n'))
  const isShown = ({ type, filename, id, location, is_attachment }: MailPart) =>
    (id !== '' && type.startsWith('image/') && names.has(id)) ||
    (location !== '' && !is_attachment && (filename === '' || type.startsWith('image/')))
  const events = bodies.filter(isEvent)
  const isTwin = ({ bytes }: MailPart) => events.some((event) => event.bytes.equals(bytes))
  return { bodies, attachments: attachments.filter((part) => !isShown(part) && !isTwin(part)) }
}

function sort(part: MailPart, wordsOf: (part: MailPart) => number): SortedParts {
  if (part.parts.length === 0) return sortLeaf(part)
  const sorted = part.parts.map((inner) => sort(inner, wordsOf))
  const attachments = sorted.flatMap((inner) => inner.attachments)
  const bodies = sorted.map((inner) => inner.bodies)
  if (part.multipart !== 'alternative') return { bodies: bodies.flat(), attachments }
  const texts = bodies.filter((form) => !form.some(isEvent))
  return { bodies: [...chosenOf(texts, wordsOf), ...bodies.flat().filter(isEvent)], attachments }
}

/** An event stands beside the texts of its invitation, which can lack its time and place. */
function isEvent({ type }: MailPart): boolean {
  return type === 'text/calendar'
}

function sortLeaf(part: MailPart): SortedParts {
  const { type, filename, is_attachment, multipart, location } = part
  // Of a saved page, other kinds of text are lists of its files and themes.
  const texts = location === '' ? /^text\/(?!rfc822-headers$)/ : /^text\/(plain|html)$/
  const is_text = texts.test(type) || multipart !== ''
  if (no_content.test(type)) return { bodies: [], attachments: [] }
  return is_text && filename === '' && !is_attachment
    ? { bodies: [part], attachments: [] }
    : { bodies: [], attachments: [part] }
}

function chosenOf(
  forms: readonly (readonly MailPart[])[],
  wordsOf: (part: MailPart) => number,
): readonly MailPart[] {
  const counted = forms.map((form) => ({
    form,
    words: form.reduce((words, part) => words + wordsOf(part), 0),
  }))
  const readable = counted.filter(({ words }) => words > 0)
  const plain = readable.find(({ form }) => form.every(({ type }) => type === 'text/plain'))
  const html = readable.findLast(({ form }) => form.some(({ type }) => type === 'text/html'))
  const enough = Math.min(max_stub_words, (html?.words ?? 0) / stub_times)
  const chosen = plain && plain.words >= enough ? plain : (html ?? plain ?? readable.at(-1))
  return chosen?.form ?? []
}

function leavesOf(part: MailPart): readonly MailPart[] {
  return part.parts.length === 0 ? [part] : part.parts.flatMap(leavesOf)
}

/** The ids of parts that a page of HTML names; signs in them can be written as `%40`. */
export function namesIn(page: string): ReadonlySet<string> {
  const written = [...page.matchAll(/\bcid:([^"'\s>)]+)/gi)].map(([, name]) => name!)
  return new Set([...written, ...written.map(unescaped)])
}

function unescaped(name: string): string {
  return name.replace(/%([0-9a-f]{2})/gi, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}
