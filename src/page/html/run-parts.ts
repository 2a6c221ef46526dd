import { counted, formatBytes, formatCount } from '../../base/text/format.ts'
import type { RunAsset } from '../../domain/run.ts'
import { wordsIn } from '../../prompts/words.ts'
import type { Viewer } from '../access/viewer.ts'
import { type Html, html, timeText } from './html.ts'
import { namedFileLink, table } from './layout.ts'

/** More rows bury the rest; the manifest beside the report has all. */
const max_rows = 500

export function promptPath(prompt: string): string {
  return `/prompts/${encodeURIComponent(prompt)}`
}

/** Stands where no report can be shown. Other users may see more. */
export function noReports({ role, folders }: Viewer): Html {
  const is_all = role === 'operator' && folders === 'all'
  return html`<p>${is_all ? 'No report is configured. docs/prompts.md shows how to get one every Monday.' : 'There is no report that you may see. Ask your administrator for one.'}</p>`
}

/** Files with links to their pages. `copies`: further files with the same bytes as these. */
export function filesTable(
  title: string,
  assets: readonly RunAsset[],
  copies: number,
  base_path: string,
): Html {
  const rows = assets
    .slice(0, max_rows)
    .map(({ name, size, arrived_ms }) => [
      namedFileLink(base_path, name),
      formatBytes(size),
      timeText(arrived_ms),
    ])
  const more = assets.length - rows.length
  return html`<h2>${title} (${formatCount(assets.length + copies)})</h2>${table(copies > 0 ? `${counted(assets.length, 'file')} of different bytes` : counted(assets.length, 'file'), ['File', 'Size', 'Came in'], rows)}
${copies > 0 && html`<p>${wordsIn('en').same_bytes(copies)}</p>`}
${more > 0 && html`<p>The manifest beside the report has ${formatCount(more)} more.</p>`}`
}
