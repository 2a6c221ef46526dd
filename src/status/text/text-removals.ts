import { formatBytes, formatCount, shellWord } from '../../base/text/format.ts'
import type { RemovalStatus } from '../removals.ts'
import type { LineWriter } from './lines.ts'

const reasons: Record<RemovalStatus['waiting'][number]['why'], string> = {
  due: 'next',
  grace: 'deleted lately (delete_grace_ms)',
  replacement: 'once the new version is ready',
  look: 'until every folder of the project is online and was scanned, with all directories of known files',
  twin: 'until files of the same size have come to rest',
  left_out: 'kept while a file that is left out has their size: it may be one of them (sluice explain PATH names it)',
  asked: 'while a prompt is asked about them',
  person: 'for a person',
  service: 'the service would not',
}

/** Adds lines about assets that no file here holds any more, and what happens to them. */
export function removalLines(writer: LineWriter, removals: RemovalStatus): void {
  const { outdated, waiting, held, removing, refusals } = removals
  if (outdated.versions + removing === 0 && refusals.length === 0) return
  writer.gap()
  writer.say(outdatedText(outdated))
  const due = waiting.filter(({ why }) => why !== 'person')
  const parts = due.map(({ why, versions }) => `${formatCount(versions)} ${reasons[why]}`)
  if (removing > 0) parts.push(`${formatCount(removing)} just now`)
  if (parts.length > 0) writer.say(`to be removed there: ${parts.join(', ')}`, { indent: 2, tone: 'faint' })
  for (const { folder, versions } of held) {
    const what = `${versionsText(versions)} of ${folder} would be removed there, more than is removed by itself (removal.most_files)`
    writer.say(`${what}; if that is right:`, { indent: 2, tone: 'warn' })
    writer.command(`sluice accept --removals ${shellWord(folder)}`, 4)
  }
  for (const { project_id, code, message } of refusals) {
    const text = `the service does not remove assets (${project_id}), so they are kept whatever the folders say: ${message} [${code}]`
    writer.say(text, { indent: 2, tone: 'warn' })
  }
}

function outdatedText({ versions, bytes }: RemovalStatus['outdated']): string {
  const answer = versions === 1 ? 'answers' : 'answer'
  return `${versionsText(versions, 'outdated ')} still ${answer} (${formatBytes(bytes)}): no file here has them any more`
}

function versionsText(versions: number, kind = ''): string {
  return `${formatCount(versions)} ${kind}${versions === 1 ? 'version' : 'versions'}`
}
