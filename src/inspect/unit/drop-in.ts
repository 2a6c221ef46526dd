import { isBelow } from '../../base/files/path-below.ts'
import type { Config } from '../../config/config.ts'
import { mailServers, reportDirs, secretFiles } from '../../config/resolve/targets.ts'
import { commandWord, mountUnit, rawPath, readUnitText, unitWord } from './unit-text.ts'

/** What the drop-in says of the machine, beside the configuration. Paths are absolute. */
export interface DropInFacts {
  readonly config_file: string
  /** That of the unit (StateDirectory=), which systemd makes and lets the service write. */
  readonly state_dir: string
  readonly node: string
  /** The main file of the program. */
  readonly program: string
  /** This systemd shows changed credentials to a running service when that is reloaded (RefreshOnReload=, from 260 on). */
  readonly is_refreshing: boolean
  /** service.token_file is for the service's user to read, which then needs no copy of it. */
  readonly is_token_own: boolean
  /** Groups that may read folders which the service's user could not read otherwise. */
  readonly groups: readonly string[]
  /** Folder -> the file system that it lies on, now. A folder without one counts as on the root file system. */
  readonly mounts: ReadonlyMap<string, FolderMount>
}

export interface FolderMount {
  readonly mount_point: string
  readonly is_network: boolean
}

/**
 * The part of the unit that comes from the configuration: `/etc/systemd/system/UNIT.d/10-config.conf`. Paths that are missing
 * when the service starts do not keep it from starting (`-`): a folder that is away is a state. Errors: `unit.path`.
 */
export function dropInOf(config: Config, facts: DropInFacts): string {
  const needs = unitNeeds(config)
  const mounts = needs.folders.map((folder) => mountSettings(folder, facts.mounts.get(folder)))
  const written = writtenBy(config, facts.state_dir)
  const read = [...new Set([...needs.folders.map((folder) => readOnlyPath(folder, facts)), ...needs.files])]
  const groups = facts.groups.map((group) => `SupplementaryGroups=${group}`)
  const command = (verb: string) =>
    [unitWord(facts.node), commandWord(facts.program), verb, '--config', commandWord(facts.config_file)].join(' ')
  const token = facts.is_token_own ? config.service.token_file : undefined
  const sections: [string, string[]][] = [
    ['[Unit]', []],
    ['# The folders are there before the service, as far as their mounts are known.', [...new Set(mounts.flat())]],
    ['[Service]', []],
    [
      '# Where node and the program are, without a search along PATH.',
      ['ExecStart=', `ExecStart=${command('run')}`, 'ExecReload=', `ExecReload=${command('reload')}`],
    ],
    [
      '# Watched folders, certificates and secrets: read, never written.',
      read.map((path) => setReadOnly(path, written)),
    ],
    ['# Reports and copies of them.', written.map((path) => `ReadWritePaths=${unitWord(path, '-')}`)],
    [
      '# The token is read where the configuration has it, and no copy is made at the start: a reload sees a new one.',
      token === undefined ? [] : [setReadOnly(token, written), 'LoadCredential='],
    ],
    ['# Secrets that the configuration names in the credentials directory.', credentialSettings(needs.credentials)],
    [
      '# A reload shows the service a token that was replaced.',
      facts.is_refreshing ? ['RefreshOnReload=credentials'] : [],
    ],
    ['# Who may read the folders.', groups],
  ]
  const head = '# Made by `sluice install` from the configuration: run it again when folders or reports have changed.'
  const parts = sections
    .map(([title, lines]) => [title, ...lines.filter((line) => line !== '')])
    .filter(([title, ...lines]) => title!.startsWith('[') || lines.length > 0)
  return `${[head, ...parts.flat()].join('\n')}\n`
}

/**
 * What a configuration needs and a drop-in does not give, and what it still gives without need; each a sentence with what to
 * do. Empty: they fit. Groups and the place of the program are facts of the machine, which the configuration does not know.
 */
export function unitFit(config: Config, text: string): string[] {
  const needs = unitNeeds(config)
  const settings = readUnitText(text)
  const paths = (name: string) => (settings.get(name) ?? []).map((word) => word.replace(/^[-+]{1,2}/, ''))
  const readable = paths('ReadOnlyPaths')
  const writable = paths('ReadWritePaths')
  const credentials = paths('LoadCredential').map((word) => word.split(':')[0]!)
  const wanted = new Set([...needs.written, config.state_dir])
  const cure = 'run `sluice install` and restart the service'
  return [
    ...needs.folders
      .filter((folder) => ![...readable, ...writable].some((path) => isBelow(folder, path)))
      .map((folder) => `the unit does not know the folder ${folder}: ${cure}`),
    ...needs.written
      .filter((directory) => !writable.some((path) => isBelow(directory, path)))
      .map((directory) => `the unit does not let the service write reports to ${directory}: ${cure}`),
    ...writable
      .filter((path) => !wanted.has(path))
      .map((path) => `the unit lets the service write to ${path}, where nothing is written any more: ${cure}`),
    ...needs.files
      .filter((file) => !readable.includes(file))
      .map((file) => `the unit does not know the file ${file}: ${cure}`),
    ...needs.credentials
      .filter((name) => !credentials.includes(name))
      .map((name) => `the unit does not hand over the credential ${name}: ${cure}`),
  ]
}

/** The state directory is among them where it is not the unit's own. */
function writtenBy(config: Config, state_dir: string): string[] {
  const own = isBelow(config.state_dir, state_dir) ? [] : [config.state_dir]
  return [...own, ...unitNeeds(config).written]
}

/**
 * Local file systems are waited for, and a share that is away must not keep the other folders from being watched: Requires=
 * would, for ever.
 */
function mountSettings(folder: string, mount: FolderMount | undefined): string[] {
  if (!mount?.is_network) return [`RequiresMountsFor=${unitWord(folder)}`]
  const unit = mountUnit(mount.mount_point)
  return [`Wants=${unit}`, `After=${unit}`]
}

/**
 * A folder is closed at its mount point: a path of its own below that would be a mount of its own in the service's namespace,
 * which keeps the old file system when that is unmounted, and hides the new one. (Measured; a mount point itself follows.)
 */
function readOnlyPath(folder: string, { mounts }: DropInFacts): string {
  const mount_point = mounts.get(folder)?.mount_point ?? '/'
  return mount_point === '/' ? folder : mount_point
}

function setReadOnly(path: string, written: readonly string[]): string {
  return written.includes(path) ? '' : `ReadOnlyPaths=${unitWord(path, '-')}`
}

/** `/run/credentials/sluice.service/hook` in the configuration is `/etc/sluice/hook`, which root alone may read. */
function credentialSettings(names: readonly string[]): string[] {
  return names
    .filter((name) => name !== 'token')
    .map((name) => `LoadCredential=${name}:${rawPath(`/etc/sluice/${name}`)}`)
}

/** systemd.exec(5): where a system service finds its credentials. */
const credentials_directory = /^\/run\/credentials\/[^/]+\/([A-Za-z0-9._-]+)$/

/**
 * What of the machine a configuration needs, for the unit that fences the service in. The token file is left out: the unit
 * hands the token over as a credential, which comes before it.
 */
export function unitNeeds(config: Config) {
  const certificates = [config.service.ca_file, ...mailServers(config).map(({ ca_file }) => ca_file)]
  const named = [...secretFiles(config).map(({ file }) => file), ...certificates].filter((path) => path !== undefined)
  return {
    /** Watched folders: read, never written. */
    folders: unique(config.folders.map(({ path }) => path)),
    /** Directories that reports and copies of them are written to, outside the state directory. */
    written: unique(reportDirs(config).filter((path) => !isBelow(path, config.state_dir))),
    /** Certificates and secrets that the configuration names by path. */
    files: unique(named.filter((path) => !credentials_directory.test(path))),
    /** Secrets that it names in systemd's credentials directory, by their names; the token is always one and not among them. */
    credentials: unique(named.flatMap((path) => credentials_directory.exec(path)?.[1] ?? [])),
  }
}

function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)].sort()
}
