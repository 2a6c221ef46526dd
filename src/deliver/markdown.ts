import MarkdownIt from 'markdown-it'

// The text comes from files and models, so it is not trusted: no HTML, no images (their server
// would see who reads), and only links for a browser or a mail program.
const markdown = new MarkdownIt({ html: false }).disable('image')
markdown.validateLink = (url) => /^(https?:\/\/|mailto:)/i.test(url)

/** Renders Markdown as HTML without a head. */
export function renderMarkdown(text: string): string {
  return markdown.render(text)
}

export function escapeHtml(text: string): string {
  return markdown.utils.escapeHtml(text)
}
