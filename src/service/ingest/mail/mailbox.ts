/** The line before each message of a mailbox ends with a date, and maybe a zone: RFC 4155. */
const separator =
  /^From \S.*\d{1,2}:\d{2}(?::\d{2})?(?: [+-]\d{4}| [A-Z]{2,5})* \d{4}(?: [+-]\d{4})?\s*$/
/** A header stands behind it: a sentence can look like it, and its text would be lost. */
const next_header = /^(?:>From |[!-9;-~]+[ \t]*:|\r?\n|$)/
/** Bytes of such a line. An address has at most 320. */
const max_line_bytes = 512
const mark = 'From '

/**
 * The messages of a mailbox, in its order. A line of a message that looks like a separator has `>`
 * before it, which is taken away. A single message is one, with its separator or without.
 */
export function messagesOf(mailbox: Buffer): readonly Buffer[] {
  const starts: number[] = []
  for (let at = mailbox.indexOf(mark); at >= 0; at = mailbox.indexOf(mark, at + 1)) {
    if (isSeparator(mailbox, at)) starts.push(at)
  }
  if (starts[0] !== 0) return [mailbox]
  return starts.map((start, at) => unquoted(mailbox.subarray(start, starts[at + 1])))
}

function isSeparator(mailbox: Buffer, at: number): boolean {
  const before = mailbox.toString('latin1', Math.max(0, at - 4), at)
  if (before !== '' && !/\n\r?\n$/.test(before)) return false
  const line = mailbox.toString('latin1', at, at + max_line_bytes)
  const end = line.indexOf('\n')
  return separator.test(line.slice(0, Math.max(0, end))) && next_header.test(line.slice(end + 1))
}

function unquoted(message: Buffer): Buffer {
  if (!message.includes('\n>')) return message
  return Buffer.from(message.toString('latin1').replace(/^>(>*From )/gm, '$1'), 'latin1')
}
