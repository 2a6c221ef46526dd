import { SluiceError } from '../../base/run/errors.ts'
import { refuseFewOpenFiles } from '../../base/run/open-files.ts'
import type { Config } from '../../config/config.ts'
import { openFilesNeeded } from '../../config/open-files.ts'
import type { Secrets } from '../../config/secrets.ts'
import type { Fact } from '../../domain/fact.ts'
import { unlessRefused } from '../../ledger/refused-facts.ts'
import { factsOfPrompts } from '../../prompts/configure-prompts.ts'
import { type Circuits, createCircuits } from '../../sync/circuits.ts'
import { rulesText } from '../../sync/folder-settings.ts'
import { type Connections, openConnections } from '../connections.ts'
import { auditSettings, ledgerLimits } from '../limits.ts'
import type { Tools } from '../tools.ts'
import {
  type Generation,
  type GenerationParts,
  startGeneration,
  type WorkerKind,
  type WorkerSettings,
} from './generation.ts'
import type { KeptFolders } from './kept-folders.ts'

export interface ReloadOutcome {
  /** Changes as text for the operator: `2 folders added`, `token changed`. Empty: no change. */
  changes: string[]
  /** Config fields that changed and take effect only at the next start. */
  at_next_start: string[]
}

export interface ReloadParts extends Pick<GenerationParts, 'tools' | 'asking'> {
  workers: readonly WorkerKind[]
  folders: KeptFolders
}

export type Reloads = ReturnType<typeof createReloads>

/** Puts new configs in force, one at a time, and keeps earlier generations until they end. */
export function createReloads(
  parts: ReloadParts,
  first: { config: Config; secrets: Secrets; connections: Connections },
) {
  const { tools, folders, asking, workers } = parts
  let secrets = first.secrets
  let current = begin(first.config, first.connections, makeCircuits())
  /** Stopped generations; each leaves when its running work is done. */
  const earlier = new Set<Generation>()
  let last: Promise<unknown> = Promise.resolve()
  let is_stopped = false
  const all = (): readonly Generation[] => [current, ...earlier]

  function begin(config: Config, connections: Connections, circuits: Circuits): Generation {
    return startGeneration(workers, {
      tools,
      asking,
      config,
      connections,
      circuits,
      folders: folders.settings(),
    })
  }

  /** Circuits for a service that Sluice has not called yet. */
  function makeCircuits(): Circuits {
    return createCircuits({
      ...tools,
      get projects() {
        return projectsOf(current.config)
      },
      get audited() {
        return asking === 'on_schedule' ? auditSettings(current.config).projects : []
      },
      reloadToken: () => current.connections.reloadToken(),
      onSlowDown: () => current.slowDown(),
    })
  }

  async function reloadNow(config: Config, given?: Secrets): Promise<ReloadOutcome> {
    const { config: before, circuits } = current
    refuseStopped()
    refuseWhatCannotChange(before, config)
    refuseFewOpenFiles('the new configuration', openFilesNeeded(config, 'run'))
    if (!given) refuseOtherHost(before, config)
    const newer = given ?? secrets
    const changes = changesBetween(before, config)
    if (changes.length > 0) await putInForce(config, newer)
    if (newer.token() !== secrets.token()) changes.push('token changed')
    takeToken(newer)
    const is_same = circuits === current.circuits
    await orReport(is_same ? circuits.forgetProjectsExcept(projectsOf(config)) : circuits.retire())
    return { changes, at_next_start: changesForNextStart(before, config) }
  }

  async function putInForce(config: Config, newer: Secrets): Promise<void> {
    const connections = await openConnections(config, newer, tools, current.connections)
    try {
      await record(config)
      refuseStopped()
    } catch (error) {
      await connections.close()
      throw error
    }
    tools.setLogLevel(config.log.level)
    const before = current
    before.stop()
    earlier.add(before)
    const circuits = isSameService(before.config, config) ? before.circuits : makeCircuits()
    current = begin(config, connections, circuits)
    void letEnd(before)
  }

  /**
   * The folders change in the same tick in which the facts are handed to the ledger, after that
   * call. Results under the old settings are thus recorded before it, or not at all.
   */
  async function record(config: Config): Promise<void> {
    const facts = await factsOfConfig(config, tools, asking)
    refuseStopped()
    // The ledger has stored all but a refused fact, so the new settings are in force.
    const recorded = unlessRefused(tools.ledger.record(facts))
    folders.configure(config)
    try {
      await recorded
    } catch (error) {
      folders.configure(current.config)
      throw error
    }
    // The ledger uses the limits from this call on, even if a commit of others makes it fail.
    await orReport(tools.ledger.setLimits(ledgerLimits(config)))
  }

  /** For what follows a recorded config: a failure is reported, and the config stays in force. */
  function orReport(done: Promise<void>): Promise<void> {
    return done.catch((error: unknown) => tools.report.fault('the end of a reload', error))
  }

  /** Earlier generations that use the same service get the new token too. */
  function takeToken(newer: Secrets): void {
    const is_other = newer.token() !== secrets.token()
    secrets = newer
    for (const generation of all()) {
      if (isSameService(generation.config, current.config))
        generation.connections.takeToken(secrets)
    }
    if (!is_other) return
    current.circuits.tokenChanged()
    current.wake()
  }

  async function letEnd(generation: Generation): Promise<void> {
    try {
      await generation.ended()
      await generation.connections.close()
    } catch (error) {
      tools.report.fault('ending the work of the earlier configuration', error)
    } finally {
      earlier.delete(generation)
      // Work that the earlier generation had in flight can be claimed now.
      current.wake()
    }
  }

  function refuseStopped(): void {
    if (!is_stopped) return
    throw new SluiceError({
      code: 'reload.stopped',
      message: 'Sluice is stopping, so it did not read the configuration again',
      hint: 'the next start reads it',
    })
  }

  return {
    current: () => current,
    inFlight: () => all().reduce((sum, generation) => sum + generation.inFlight(), 0),
    /**
     * Applies the whole config or none of it: unusable settings are found before any is in force.
     * Errors: `config.*` for those, `database.*` if the ledger could not record it,
     * `reload.stopped`. After an error the previous config is fully in force.
     */
    reload(config: Config, newer?: Secrets): Promise<ReloadOutcome> {
      const reloaded = last.then(() => reloadNow(config, newer))
      last = reloaded.catch(() => {})
      return reloaded
    },
    /** Stops new work. Returns what has to end: all generations, and a reload under way. */
    stop() {
      is_stopped = true
      return { generations: all(), reloading: last }
    },
    abort(): void {
      for (const generation of all()) generation.abort()
    },
  }
}

/** One function makes both configs, so equal configs have equal JSON. */
function isSame(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) === JSON.stringify(after)
}

const counted = { folders: 'folder', prompts: 'prompt' } as const

function changesBetween(before: Config, after: Config): string[] {
  const lists = (['folders', 'prompts'] as const).flatMap((list) =>
    changesOfList(counted[list], before[list], after[list]),
  )
  const sections = Object.keys(after) as (keyof Config)[]
  const changed = sections.filter(
    (section) => !(section in counted) && !isSame(before[section], after[section]),
  )
  return [...lists, ...changed.map((section) => `${section} changed`)]
}

interface Named {
  readonly name: string
}

function changesOfList(what: string, before: readonly Named[], after: readonly Named[]): string[] {
  const known = new Map(before.map((item) => [item.name, item]))
  const names = new Set(after.map(({ name }) => name))
  const counts = {
    added: after.filter(({ name }) => !known.has(name)).length,
    removed: before.filter(({ name }) => !names.has(name)).length,
    changed: after.filter((item) => known.has(item.name) && !isSame(known.get(item.name), item))
      .length,
  }
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([how, count]) => `${count} ${what}${count === 1 ? '' : 's'} ${how}`)
}

/** True for the same service. Only then do its circuits and a new token apply to both configs. */
function isSameService({ service: before }: Config, { service: after }: Config): boolean {
  return before.base_url === after.base_url && before.ca_file === after.ca_file
}

function changesForNextStart(before: Config, after: Config): string[] {
  return before.log.format === after.log.format ? [] : ['log.format']
}

function refuseWhatCannotChange(before: Config, after: Config): void {
  if (before.state_dir === after.state_dir) return
  throw new SluiceError({
    code: 'config.needs_restart',
    message: `state_dir cannot change while Sluice runs (${before.state_dir} to ${after.state_dir}): it holds the open ledger`,
    hint: 'stop Sluice, move the directory, and start it again; until then the earlier configuration stays in force',
  })
}

/** The token that cannot be read again belongs to the earlier service. */
function refuseOtherHost({ service: before }: Config, { service: after }: Config): void {
  if (before.base_url === after.base_url) return
  throw new SluiceError({
    code: 'account.token_unreadable',
    message: `the token for ${after.base_url} cannot be read: its file does not answer`,
    hint: 'reload when it answers; until then the earlier configuration stays in force',
  })
}

function projectsOf({ folders, prompts }: Config): string[] {
  return [...new Set([...folders, ...prompts].map(({ project_id }) => project_id))]
}

/** Facts that the ledger needs from a config before any of its work can become due. */
export async function factsOfConfig(
  { folders, prompts }: Config,
  { ledger, prompt_report }: Pick<Tools, 'ledger' | 'prompt_report'>,
  asking: WorkerSettings['asking'],
): Promise<Fact[]> {
  return [
    ...folders.map((folder) => ({
      type: 'folder_configured' as const,
      folder: { ...folder, root: folder.path, rules: rulesText(folder) },
    })),
    { type: 'folders_removed_except', names: folders.map(({ name }) => name) },
    ...(asking === 'never' ? [] : await factsOfPrompts(ledger, prompts, prompt_report)),
  ]
}
