import MarkdownIt from 'markdown-it'

// What the answer holds came out of files: no HTML of theirs, no image that tells its server who reads, and no link but those
// that a mail reader opens in a browser or a mail.
const markdown = new MarkdownIt({ html: false }).disable('image')
markdown.validateLink = (url) => /^(https?:\/\/|mailto:)/i.test(url)

/** A whole HTML document from Markdown; the title is plain text. */
export function htmlOf(title: string, text: string): string {
  const head = `<meta charset="utf-8"><title>${markdown.utils.escapeHtml(title)}</title>`
  return `<!doctype html>\n<html><head>${head}</head><body>\n${markdown.render(text)}</body></html>\n`
}
