/** Headers that mail programs write, and no person: RFC 5322, RFC 2045. */
const mail_marks =
  /^(?:mime-version|message-id|received|return-path|content-transfer-encoding|delivered-to|x-mailer|dkim-signature):/im
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

/** Runs of base64 (in data URIs, too) and lines of uuencode. */
const encoded_runs = /[A-Za-z0-9+/_-]{60,}={0,2}|^M[ -`]{60}\r?$/gm
const uuencoded = /^M[ -`]{60}\r?$/
/** Small letters, capitals and digits take turns in base64, but not in paths, names and numbers. */
const turns = /[a-z](?=[A-Z\d])|[A-Z](?=[a-z\d])|\d(?=[A-Za-z])/g
/** Bytes in base64 have about 0.6 a letter, text in base64 0.5, and paths below 0.2. */
const min_turns = 0.3
const max_encoded_share = 0.5

/** True if most of a text is bytes in base64 or uuencode. */
export function isMostlyEncoded(text: string): boolean {
  let encoded = 0
  for (const [run] of text.matchAll(encoded_runs)) {
    const turned = run.match(turns)?.length ?? 0
    if (uuencoded.test(run) || turned >= run.length * min_turns) encoded += run.length
  }
  return encoded > text.length * max_encoded_share
}
