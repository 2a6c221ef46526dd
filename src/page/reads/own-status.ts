import { second_ms } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { isAboutOneOf } from '../../domain/trouble.ts'
import { no_removals } from '../../ledger/views/view-removal-cases.ts'
import { removalStatus } from '../../status/assets.ts'
import { readStatus } from '../../status/read-status.ts'
import { type StatusView, verdictOf } from '../../status/view.ts'
import { withLedgerView } from '../../status/with-view.ts'
import { configFor, type Viewer } from '../access/viewer.ts'
import type { PageTools } from '../page-tools.ts'
import { forReader } from './for-reader.ts'

/** Open pages ask every five seconds; those for the same folders share an answer for this time. */
const shared_ms = 2 * second_ms

type Shared = Map<string, { read_ms: number; status: Promise<StatusView> }>

const shared_of = new WeakMap<PageTools, Shared>()

/** The status for a refresh, at most two seconds old: ten open pages cost little more than one. */
export function sharedStatus(tools: PageTools, viewer: Viewer): Promise<StatusView> {
  const shared: Shared = shared_of.get(tools) ?? new Map()
  shared_of.set(tools, shared)
  const key = JSON.stringify([viewer.role, viewer.folders])
  const read_ms = tools.clock.monotonic_ms()
  const last = shared.get(key)
  if (last && read_ms - last.read_ms < shared_ms) return last.status
  const status = ownStatus(tools, viewer)
  shared.set(key, { read_ms, status })
  return status
}

/**
 * The status as this viewer may know it. What the ledger counts for all folders together is left
 * out for who sees only some. Readers see no place of this machine and no command.
 */
export async function ownStatus(
  { config, clock }: Pick<PageTools, 'config' | 'clock'>,
  viewer: Viewer,
): Promise<StatusView> {
  const own = configFor(config, viewer)
  const status = await readStatus(own, clock)
  const seen = viewer.folders === 'all' ? status : await narrowed(status, own)
  return viewer.role === 'reader' ? forReader(seen, own) : seen
}

async function narrowed(status: StatusView, own: Config): Promise<StatusView> {
  const names = own.folders.map(({ name }) => name)
  const of_folders = await withLedgerView(
    own.state_dir,
    (view) => view && { problems: view.problems(names), over_limit: view.over_limit(names) },
  )
  const prompts = new Set(own.prompts.map(({ name }) => name))
  const projects = own.folders.map(({ project_id }) => project_id)
  const troubles = status.troubles.filter(({ about }) => isAboutOneOf(about, projects, []))
  return {
    ...status,
    verdict: verdictOf({ ...status, troubles }),
    state_dir: '',
    ...of_folders,
    retrying: [],
    slow: 0,
    upload_limit: null,
    daily_limit: null,
    removals: removalStatus(no_removals),
    rename_refusals: [],
    audits: [],
    troubles: troubles.map((trouble) => ({ ...trouble, hint: null })),
    prompts: status.prompts.filter(({ name }) => prompts.has(name)),
    ...(status.health && {
      health: { ...status.health, problems: status.health.problems.filter(isOfOneOf(names)) },
    }),
  }
}

/** Other kinds are about all files, and a folder may have the name of one, such as uploads. */
function isOfOneOf(folders: readonly string[]) {
  return ({ kind, about }: { kind: string; about: string }) =>
    /^(folder|scan)$/.test(kind) && folders.includes(about)
}
