import { join } from 'node:path'
import { formatBytes } from '../../base/text/format.ts'
import { system_clock } from '../../base/time/time.ts'
import { type Explanation, explain } from '../../inspect/explain/explain.ts'
import { findPlace } from '../../inspect/files/place.ts'
import { refuseNoPath } from '../../page/reads/place-asked.ts'
import { daemonStatus } from '../../status/daemon-status.ts'
import { type Line, LineWriter } from '../../status/text/lines.ts'
import { withLedgerView } from '../../status/with-view.ts'
import { argument, defineCommand, flag } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { loadFor } from '../on-paths.ts'
import { placeCalled } from '../place-called.ts'
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
    const place = at ?? (await placeCalled(path, config, { terminal, paths }))
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
