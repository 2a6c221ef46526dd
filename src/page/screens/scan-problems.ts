import { formatCount } from '../../base/text/format.ts'
import type { FolderStatus } from '../../status/folders.ts'
import { scanFindings } from '../../status/text/scan-findings.ts'
import { type Html, html, nameText, sentenceText } from '../html/html.ts'
import { fileLink } from '../html/layout.ts'

/**
 * What the last scan of a folder could not take up, each place with a link to its page. Of an
 * offline folder it says nothing any more.
 */
export function scanProblems({ name, state, last_scan }: FolderStatus, base_path: string): Html[] {
  const findings = last_scan && state === 'online' ? scanFindings(last_scan) : []
  return findings.map(({ what, places, total }) => {
    const rest = total - places.length
    const items = places.map(({ path, why }) => {
      const link = fileLink(base_path, { folder: name, path: path.replace(/\/$/, '') })
      return html`<li>${link}${why !== undefined && html` (${sentenceText(why)})`}</li>`
    })
    return html`<h2>${formatCount(total)} in ${nameText(name)}: ${sentenceText(what)}</h2>
<ul>${items}${rest > 0 && html`<li>and ${formatCount(rest)} more</li>`}</ul>`
  })
}
