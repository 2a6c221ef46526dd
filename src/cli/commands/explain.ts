import { isAbsolute, join } from 'node:path'
import { SluiceError } from '../../base/run/errors.ts'
import { counted, formatBytes, formatCount, printable, shellWord } from '../../base/text/format.ts'
import { system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { type Explanation, explain } from '../../inspect/explain/explain.ts'
import { behindDrive, noPlaceText } from '../../inspect/files/no-place.ts'
import { findPlace, inNoFolder, type Place } from '../../inspect/files/place.ts'
import { stages } from '../../ledger/views/view-files.ts'
import { knownAtEnd } from '../../page/reads/known-at-end.ts'
import { placesAtTop, refuseNoPath } from '../../page/reads/place-asked.ts'
import { withSearchView } from '../../page/reads/search-files.ts'
import { daemonStatus } from '../../status/daemon-status.ts'
import { type Line, LineWriter } from '../../status/text/lines.ts'
import { withLedgerView } from '../../status/with-view.ts'
import { argument, defineCommand, flag } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { loadFor, onPaths } from '../on-paths.ts'
import { printJson, printLines } from '../text/print.ts'

export const command = defineCommand({
  options: (yargs) =>
    yargs
      .positional(
        'path',
        argument('a file, by where it is, as FOLDER/PATH, or a name that is known'),
      )
      .option('json', flag('one JSON object')),
  async run({ config: named, path, json }, terminal) {
    refuseNoPath(path)
    const { config, at, paths } = await loadFor(terminal, { file: named }, ({ config }, paths) => {
      const place = findPlace(path, config.folders, process.cwd(), paths)
      const folder = config.folders.find(({ name }) => name === place?.folder)
      // A share may be mounted inside the folder.
      if (place) paths.look(join(folder?.path ?? '', place.path))
      return { at: place }
    })
    const place =
      at ??
      (await placeCalled(path, config, (name) =>
        onPaths(terminal, (asked) => placesAtTop(name, config.folders, asked), paths),
      ))
    const daemon = await daemonStatus(config.state_dir)
    const daemon_runs = daemon.state !== 'stopped'
    const now_ms = system_clock.now_ms()
    const explanation = await withLedgerView(config.state_dir, (ledger) =>
      explain({ config, ledger, place, daemon_runs, now_ms, silent: paths.silent() }),
    )
    if (json) printJson(terminal, explanation)
    else {
      printLines(terminal, explanationLines(explanation, terminal.width))
    }
    return explanation.state === 'unknown' ? exit_codes.incomplete : exit_codes.ok
  },
})

/** Finds what has a name in the first level of each folder. */
type AtTop = (name: string) => Promise<Place[]>

/** Names in one hint. */
const max_named = 10

/**
 * The one file that this is the name of, or a part of it: a known one, also one that was deleted,
 * else one in the first level of a folder. Errors: `usage.path`, `answer.unknown_path`.
 */
async function placeCalled(query: string, config: Config, onDisk: AtTop): Promise<Place> {
  const { state_dir, folders } = config
  const wanted = { folders, query, limit: max_named, counts: true, sees: undefined }
  const rest = behindDrive(query)
  const at_end = rest && (await knownAtEnd(rest, { state_dir, folders, sees: undefined }))
  if (at_end) return at_end
  if (rest !== undefined || isAbsolute(query) || query.startsWith('..'))
    throw inNoFolder(query, folders)
  const found = await withSearchView(state_dir, async (view) => {
    const present = await view?.search({ ...wanted, stages: [] })
    return present?.total === 0 ? view?.search({ ...wanted, stages }) : present
  })
  const files: Place[] = found?.files.length ? found.files : await onDisk(query)
  const [place, ...others] = files
  if (!place)
    throw noPlaceText(query, folders) ? inNoFolder(query, folders) : unknownName(query, folders)
  if (others.length === 0) return place
  const total = Math.max(found?.total ?? 0, files.length)
  const names = files.map(({ folder, path }) => shellWord(`${folder}/${path}`)).join(', ')
  const more = total - files.length
  throw new SluiceError({
    code: 'usage.path',
    message: `${printable(query)} may be ${counted(total, 'file')}`,
    hint: `name one of them: ${names}${more > 0 ? ` and ${formatCount(more)} more` : ''}`,
  })
}

function unknownName(query: string, folders: Config['folders']): SluiceError {
  const names = folders.map(({ name }) => name).join(', ')
  return new SluiceError({
    code: 'answer.unknown_path',
    message: `no file called ${printable(query)} is known in these folders: ${names}`,
    hint: `none has it in its first level; a file that a rule leaves out below needs its whole path, such as ${folders[0]!.name}/PATH`,
  })
}

const tones: Partial<Record<Explanation['state'], Line['tone']>> = {
  ready: 'good',
  refused: 'bad',
  blocked: 'warn',
  removed_on_service: 'warn',
}

export function explanationLines(explanation: Explanation, width: number): Line[] {
  const { folder, path, place, state, why, on_disk } = explanation
  const writer = new LineWriter(width)
  writer.say(path === '' ? folder : `${folder}/${path}`, { tone: 'strong' })
  writer.detail(state.replaceAll('_', ' '), tones[state] ?? 'plain')
  for (const reason of why) writer.say(reason, { indent: 4 })
  const size =
    on_disk.size === null || on_disk.kind !== 'file' ? '' : `, ${formatBytes(on_disk.size)}`
  const modified = on_disk.modified === null ? '' : `, modified ${on_disk.modified}`
  // No text leads to a name that is not UTF-8, and nothing is asked behind a link.
  const is_reached = state !== 'special' || on_disk.modified !== null
  if (is_reached) writer.detail(`on disk: ${place} (${on_disk.kind}${size}${modified})`)
  sayRelations(writer, explanation)
  sayDetails(writer, explanation)
  return writer.lines
}

function sayRelations(writer: LineWriter, explanation: Explanation): void {
  const { last_error, why, next_try, label_settings, same_bytes } = explanation
  const { message = '' } = last_error ?? {}
  const is_shown = why.some((reason) => reason.includes(message))
  if (!is_shown) writer.detail(`last error: ${message}`)
  if (next_try !== null) writer.detail(`next try: ${next_try}`)
  const labels = label_settings.map(({ label, setting }) =>
    setting === null ? label : `${label} (${setting})`,
  )
  if (labels.length > 0) writer.detail(`labels: ${labels.join(', ')}`)
  if (same_bytes.length > 0) {
    const names = same_bytes.map((other) => `${other.folder}/${other.path}`).join(', ')
    writer.detail(`same bytes, one upload: ${names}`)
  }
}

/** Codes, ids and times, for a user who looks for the cause. */
function sayDetails(writer: LineWriter, explanation: Explanation): void {
  const { last_error, asset_id, md5, project_id, times, history } = explanation
  const known = Object.entries(times ?? {}).flatMap(([what, at]) =>
    at === null ? [] : [`${what} ${at}`],
  )
  const details = [
    ...(last_error ? [`error code: ${last_error.code}`] : []),
    ...(asset_id === null ? [] : [`asset: ${asset_id} in ${project_id}`]),
    ...(md5 === null ? [] : [`md5: ${md5}`]),
    ...(known.length > 0 ? [`times: ${known.join(', ')}`] : []),
  ]
  if (details.length === 0) return
  writer.detail('details')
  for (const text of details) writer.say(text, { indent: 4, tone: 'faint' })
  for (const { at, event, detail } of history) {
    const text = `${at} ${event.replaceAll('_', ' ')}${detail === null ? '' : `: ${detail}`}`
    writer.say(text, { indent: 4, tone: 'faint' })
  }
}
