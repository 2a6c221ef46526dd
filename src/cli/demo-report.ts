import { basename, extname } from 'node:path'
import { SluiceError } from '../base/errors.ts'
import { formatCount, printable } from '../base/format.ts'
import { type Clock, second_ms } from '../base/time.ts'
import type { LedgerView } from '../ledger/view.ts'
import type { FolderView } from '../ledger/view-folders.ts'
import type { PassView } from '../ledger/view-pass.ts'
import type { AssetRecord } from '../remote/assets.ts'
import type { Outcome } from '../remote/outcome.ts'
import type { Remote } from '../remote/remote.ts'
import type { DiskCount } from './demo-setup.ts'
import type { Terminal } from './terminal.ts'

export interface DemoEnd {
  disk: DiskCount
  folder: FolderView
  view: LedgerView
  pass: PassView
  /** The service's own list. */
  assets: readonly AssetRecord[]
}

/** Lines of one kind of reason; the rest is counted. */
const most_shown = 25
const most_kinds = 8

/** The whole list, page by page. */
export async function listAll(remote: Remote, project_id: string): Promise<AssetRecord[]> {
  const assets: AssetRecord[] = []
  let after_id: string | undefined
  do {
    const page = answerOf(await remote.listAssets(project_id, { after_id }))
    assets.push(...page.items)
    after_id = page.next
  } while (after_id !== undefined)
  return assets
}

/** What lies on the disk beside what the service says it has, and whether the two agree. */
export function demoReport(end: DemoEnd, { styles }: Pick<Terminal, 'styles'>): { lines: string[]; agrees: boolean } {
  const { disk, folder, pass, assets } = end
  const { ready, refused, removed_on_service, skipped, blocked, settling, waiting, sending, ingesting } = folder.stages
  const on_the_way = settling.files + waiting.files + sending.files + ingesting.files
  const sum =
    disk.ignored_files +
    disk.odd_names +
    skipped.files +
    ready.files +
    refused.files +
    removed_on_service.files +
    blocked.files +
    on_the_way
  const sent = pass.assets()
  const agrees = sum === disk.files && sent === assets.length

  const line = (title: string, files: number) => `${title.padEnd(34)} ${formatCount(files).padStart(9)}`
  const some = (title: string, files: number, reasons: string[] = []) =>
    files > 0 ? [line(`  ${title}`, files), ...reasons.slice(0, most_shown), ...moreOf(reasons)] : []
  const lines = [
    styles.bold(line('files on disk', disk.files)),
    ...some('ignored by rule', disk.ignored_files, ignoredLines(disk)),
    ...some('names that are not UTF-8', disk.odd_names),
    ...some('skipped', skipped.files, skippedLines(pass)),
    line('  ready', ready.files),
    line('  refused', refused.files),
    ...(refused.files > 0 ? refusedLines(end) : []),
    ...some('removed on the service', removed_on_service.files),
    ...some('blocked', blocked.files, blockedLines(end)),
    ...some('not in yet', on_the_way),
    styles.bold(line('assets in the service’s own list', assets.length)),
    ...statusLines(assets).map(([status, count]) => line(`  ${status}`, count)),
    '',
    checkLine(`${formatCount(disk.files)} on disk = ${formatCount(sum)} accounted for`, sum === disk.files, styles),
    checkLine(
      `${formatCount(sent)} different contents sent = ${formatCount(assets.length)} assets on the service`,
      sent === assets.length,
      styles,
    ),
  ]
  return { lines, agrees }
}

function checkLine(text: string, holds: boolean, styles: Terminal['styles']): string {
  return holds ? styles.green(`${text}: yes`) : styles.red(`${text}: NO`)
}

function reasonLine(files: number, text: string): string {
  return `      ${formatCount(files).padStart(7)} × ${printable(text)}`
}

function moreOf(reasons: readonly string[]): string[] {
  return reasons.length > most_shown ? [`              and ${reasons.length - most_shown} reasons more`] : []
}

function ignoredLines({ ignored }: DiskCount): string[] {
  return ignored.map(({ rule, files, example }) => {
    const source = rule.source === 'default' ? '' : `, ${rule.source}`
    return reasonLine(files, `${rule.rule}  ${rule.reason}${source} (${example}${files > 1 ? ' …' : ''})`)
  })
}

function skippedLines(pass: PassView): string[] {
  return pass.skipped().map(({ reason, rule, files, example }) => {
    return reasonLine(files, `${reason}  ${rule} (${example}${files > 1 ? ' …' : ''})`)
  })
}

function blockedLines({ view }: DemoEnd): string[] {
  return view
    .problems()
    .filter(({ stage }) => stage === 'blocked')
    .map(({ files, message, examples }) =>
      reasonLine(files, `${message} (${examples.map(({ path }) => path).join(', ')})`),
    )
}

/** The service does not say why it could not read a file; the kinds of files tell most. */
function refusedLines({ view, folder }: DemoEnd): string[] {
  const groups = view.problems().filter(({ stage }) => stage === 'refused')
  const kinds = new Map<string, number>()
  let after: string | undefined
  do {
    const page = view.files({ folder: folder.name, prefix: '', stages: ['refused'], after, limit: 1_000 })
    for (const { path } of page) {
      const kind = extname(path).toLowerCase() || 'no extension'
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    }
    after = page.at(-1)?.path
  } while (after !== undefined)
  const sorted = [...kinds].sort((a, b) => b[1] - a[1])
  const shown = sorted.slice(0, most_kinds).map(([kind, files]) => `${kind} ${formatCount(files)}`)
  const others = sorted.slice(most_kinds).reduce((sum, [, files]) => sum + files, 0)
  const by_kind = [...shown, ...(others > 0 ? [`others ${formatCount(others)}`] : [])].join(', ')
  return [...groups.map(({ files, message }) => reasonLine(files, message)), `                ${printable(by_kind)}`]
}

function statusLines(assets: readonly AssetRecord[]): [string, number][] {
  const counts = new Map<string, number>()
  for (const { raw_status } of assets) counts.set(raw_status, (counts.get(raw_status) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])
}

/** The local service answers within a second; one that takes longer is gone. */
const patience_ms = 20 * second_ms
const look_ms = 50

export interface DemoQuestion {
  prompt: string
  asset_ids: readonly string[]
}

/** Asks over these assets alone and waits for the answer. Errors `service.*` where there is none in time. */
export async function ask(
  { remote, project_id, clock }: { remote: Remote; project_id: string; clock: Clock },
  { prompt, asset_ids }: DemoQuestion,
): Promise<string> {
  const started = answerOf(await remote.startChat(project_id, { prompt, scope: { asset_ids } }))
  const began_ms = clock.monotonic_ms()
  for (;;) {
    const outcome = await remote.readMessage(project_id, started.chat_id, started.message_id)
    // A read may come a moment too early; anything else that is wrong is told when the time is over.
    if (outcome.ok && outcome.value.state === 'answered') return outcome.value.response ?? ''
    if (outcome.ok && outcome.value.state === 'failed') {
      throw new SluiceError({ code: 'service.answer', message: 'the service could not answer the question' })
    }
    if (clock.monotonic_ms() - began_ms > patience_ms) {
      answerOf(outcome)
      throw new SluiceError({ code: 'service.answer', message: 'the service has not answered the question in time' })
    }
    await clock.sleep(look_ms)
  }
}

/** What the service answered, or the reason why not as an error. */
function answerOf<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value
  const { about, message, humane } = outcome.failure
  throw new SluiceError({
    code: `service.${about}`,
    message: [message, humane].filter((text) => text !== undefined).join(': '),
  })
}

const most_words = 3

/** For a folder that nobody knows: a question about the words that its files are most often named by. */
export function questionAbout(paths: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const path of paths) {
    const words = basename(path)
      .toLowerCase()
      .replace(/\.[a-z0-9]{1,5}$/, '')
      .match(/\p{L}{4,}/gu)
    for (const word of new Set(words ?? [])) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const words = [...counts].sort((a, b) => b[1] - a[1]).slice(0, most_words)
  const about = words.length > 0 ? words.map(([word]) => word).join(', ') : 'the most important points'
  return `What do these files say about ${about}?`
}
