import { join } from 'node:path'
import { isBelow } from '../../base/files/path-below.ts'
import { day_ms, isoTime, isoTimeOrNull } from '../../base/time/time.ts'
import type { Config, FolderConfig } from '../../config/config.ts'
import { createIgnoreRules } from '../../disk/scan/ignore.ts'
import { labelGiver } from '../../domain/labels.ts'
import { holdsUploads } from '../../domain/trouble.ts'
import { contentThing, fileThing } from '../../ledger/refused-facts.ts'
import type { LedgerView } from '../../ledger/views/view.ts'
import type { FileStory } from '../../ledger/views/view-files.ts'
import { readingAnswer } from '../files/known-files.ts'
import { checkPath } from '../plan/check-path.ts'
import type { Case, Obstacle } from './case.ts'
import { reasonsOf } from './explain-reasons.ts'
import { obstacleOn } from './obstacle.ts'

/** Everything known about one path. Times are ISO 8601 UTC; null: unknown, or none. */
export type Explanation = ReturnType<typeof explain>

/** Explains a path. Reads metadata only; `ledger` is undefined before the first start. */
export function explain(options: {
  config: Config
  ledger: LedgerView | undefined
  /** Name of a configured folder, and a path in it. */
  place: { folder: string; path: string }
  daemon_runs: boolean
  now_ms: number
  /** True: the sentences name no place of this machine and no command. */
  for_reader?: boolean
  /** Paths that do not answer: nothing is asked of the disk there. */
  silent?: readonly string[]
}) {
  const { config, ledger, now_ms, daemon_runs, for_reader = false } = options
  const { path } = options.place
  const folder = config.folders.find(({ name }) => name === options.place.folder)!
  const read = () => {
    const story = ledger?.story(folder.name, path)
    const parting = story?.content && ledger?.partingOf(story.content.id)
    const older_versions = ledger?.olderVersionsOf(folder.name, path) ?? []
    const asset_id = config.page.listen === 'off' ? undefined : story?.content?.asset_id
    const naming = asset_id === undefined ? [] : ledger!.naming(asset_id, `${folder.name}/${path}`)
    const things = [fileThing(options.place), contentThing(story?.content?.id ?? 0)]
    return {
      story,
      parting,
      older_versions,
      naming,
      ...circumstancesOf(folder, ledger, things, now_ms),
    }
  }
  const known = ledger ? ledger.together(read) : read()
  const place = join(folder.path, path)
  const silent_place = options.silent?.find((silent) => isBelow(place, silent))
  const is_silent = silent_place !== undefined
  const obstacle = is_silent ? undefined : obstacleOn(folder.path, path, known.unreadable)
  const is_too_long = obstacle?.kind === 'closed' && obstacle.code === 'ENAMETOOLONG'
  // No scan goes beyond the obstacle, and rules there may not be readable.
  const reached = obstacle && obstacle.kind !== 'odd_name' ? obstacle.path : path
  const is_behind_link = obstacle?.kind === 'link' && reached !== path
  const on_disk = is_silent ? unanswered : is_behind_link ? behind_link : checkPath(place)
  // No rules can be read at the end of a path that is too long.
  const ignored_by =
    is_silent || is_too_long
      ? null
      : ignoredBy(folder, reached, reached === path ? on_disk.kind : 'directory')
  const state = ignored_by ? 'ignored' : stateOf(known.story, on_disk.kind, obstacle)
  const { uploads } = config
  const of_path = { state, path, folder, on_disk, obstacle, ignored_by }
  const offline = is_silent ? `${silent_place} does not answer` : known.offline
  const of_disk = { ...known, offline, ...of_path }
  const why = reasonsOf({ ...of_disk, now_ms, uploads, daemon_runs, for_reader })
  return {
    folder: folder.name,
    path,
    /** Absolute path on this machine. */
    place,
    project_id: folder.project_id,
    state,
    /** Sentences: the reason of the state, the next step, and the remedy. */
    why,
    on_disk,
    ignored_by,
    /** The reason that keeps scans from the path; null: none. */
    obstacle: obstacle ? { code: null, ...obstacle } : null,
    ...factsOf(known.story, labelSetting(folder, path)),
    /** Assets of earlier versions that still answer; `kept`: they will stay. */
    older_versions: known.older_versions.map(({ asset_id, outdated_ms, due_ms }) => {
      return { asset_id, replaced: isoTime(outdated_ms), kept: due_ms === undefined }
    }),
  }
}

const unanswered = { kind: 'unreadable', size: null, modified: null } as const
/** Files beyond a link are not in the folder, so nothing is asked about them. */
const behind_link = { kind: 'symlink', size: null, modified: null } as const

function stateOf(
  story: FileStory | undefined,
  kind: Case['on_disk']['kind'],
  obstacle: Obstacle | undefined,
): Case['state'] {
  if (obstacle && obstacle.kind !== 'closed') return 'special'
  if (kind !== 'file' && kind !== 'missing' && kind !== 'unreadable') return 'special'
  return story?.stage ?? 'unknown'
}

function ignoredBy(folder: FolderConfig, path: string, kind: Case['on_disk']['kind']) {
  if (path === '') return null
  const verdict = createIgnoreRules(folder.path, folder).verdict(
    path,
    kind === 'directory' ? 'directory' : 'file',
  )
  if (!verdict.ignored) return null
  const { rule, source, reason } = verdict
  return { rule, source, reason }
}

function circumstancesOf(
  { name, project_id }: FolderConfig,
  ledger: LedgerView | undefined,
  things: readonly string[],
  now_ms: number,
) {
  const known = ledger?.folders().find((folder) => folder.name === name)
  return {
    offline: known && !known.online ? known.offline_reason : undefined,
    scanned: known?.first_scan_ms !== undefined,
    unreadable: known?.scan?.unreadable ?? [],
    troubles: (ledger?.troubles() ?? []).filter(({ stored_about }) =>
      holdsUploads(stored_about, project_id, things),
    ),
    sent_today_bytes: ledger?.used('sent', day_ms, now_ms).bytes ?? 0,
  }
}

function factsOf(story: FileStory | undefined, settingOf: ReturnType<typeof labelSetting>) {
  const content = story && story.row.state === 'present' ? story.content : undefined
  const { error_code, error_message } = content ?? {}
  return {
    last_error:
      error_code === undefined ? null : { code: error_code, message: error_message ?? '' },
    attempts: content?.attempts ?? 0,
    next_try: isoTimeOrNull(nextTry(story)),
    asset_id: content?.asset_id ?? null,
    md5: content?.md5 ?? null,
    reading: readingAnswer(story?.reading),
    labels: story?.labels.map(({ name }) => name) ?? [],
    /** The setting that gives each label to this path; null: another path or an earlier setting. */
    label_settings:
      story?.labels.map(({ name }) => ({ label: name, setting: settingOf(name) })) ?? [],
    /** Other files with the same bytes, served by one upload. */
    same_bytes: story?.others ?? [],
    times: story
      ? {
          seen: isoTime(story.row.seen_ms),
          settled: isoTimeOrNull(story.row.settled_ms),
          sent: isoTimeOrNull(story.row.sent_ms),
          ready: isoTimeOrNull(story.row.ready_ms),
          gone: story.row.state === 'gone' ? isoTimeOrNull(story.row.gone_ms) : null,
        }
      : null,
    history: (story?.history ?? []).map(({ at_ms, event, detail }) => ({
      at: isoTime(at_ms),
      event,
      // Some details begin with the event.
      detail: detail?.replace(`${event.replaceAll('_', ' ')}: `, '') ?? null,
    })),
  }
}

function labelSetting(folder: FolderConfig, path: string): (label: string) => string | null {
  const given = { by_rule: new Map<string, string | undefined>(), by_folder: new Set<string>() }
  labelGiver(folder)(path, given)
  return (label) => {
    const rule = given.by_rule.get(label)
    if (given.by_rule.has(label)) return rule === undefined ? 'labels' : `labels: ${rule}`
    return given.by_folder.has(label) ? `label_from: ${folder.label_from}` : null
  }
}

/** Unix ms of the next try without a user; undefined if there is none. */
function nextTry(story: FileStory | undefined): number | undefined {
  if (story === undefined) return undefined
  if (story.stage === 'settling' || story.stage === 'blocked') return story.row.not_before_ms
  const is_underway =
    story.stage === 'waiting' || story.stage === 'sending' || story.stage === 'ingesting'
  return is_underway ? story.content?.not_before_ms : undefined
}
