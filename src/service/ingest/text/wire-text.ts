/** Headers that mail programs write, and no person, with how their values begin: RFC 5322. */
const mail_marks =
  /^(?:mime-version: *\d\.\d|message-id:\s*<|received: *(?:from|by) |return-path: *<|content-transfer-encoding: *\w+\s*$|delivered-to: *\S+@|x-mailer: *\S|dkim-signature: *[a-z]+=)/im
const mail_names = /^(?:from|to|subject|date|cc|sender|reply-to|snapshot-content-location):/gim
/** A head of mail: maybe the line of a mailbox, then headers that may go on in indented lines. */
const mail_head = /^(?:From \S[^\n]*\n)?(?:[!-9;-~]+:[^\n]*\n(?:[ \t][^\n]*\n)*){3,}/
/** UTF-16 units. Gateways write long heads, but the first names stand in this. */
const head_length = 8_192

/** True for mail as it is sent (.eml, mbox, MHT). A text that quotes mail begins otherwise. */
export function isMail(text: string): boolean {
  const start = `${text.slice(0, head_length).replaceAll('\r\n', '\n').trimStart()}\n`
  const head = mail_head.exec(start)?.[0]
  if (head === undefined || !mail_marks.test(head)) return false
  return (head.match(mail_names)?.length ?? 0) >= 2
}
