import { isBelow } from '../../base/files/path-below.ts'
import type { Config } from '../../config/config.ts'
import { mailServers, reportDirs, secretFiles } from '../../config/resolve/targets.ts'
import { commandWord, mountUnit, rawPath, readUnitText, unitWord } from './unit-text.ts'

/** Facts of the machine for the drop-in. Paths are absolute. */
export interface DropInFacts {
  readonly config_file: string
  /** State directory of the unit (StateDirectory=), which systemd creates. */
  readonly state_dir: string
  readonly node: string
  /** Main file of the program. */
  readonly program: string
  /**
   * systemd 260 and later: a reload shows changed credentials to the service (RefreshOnReload=).
   */
  readonly is_refreshing: boolean
  /** The user of the service may read service.token_file, so the unit needs no copy of it. */
  readonly is_token_own: boolean
  /** Groups that give the user of the service access to folders. */
  readonly groups: readonly string[]
  /**
   * Folder -> its present file system. Folders without an entry count as on the root file system.
   */
  readonly mounts: ReadonlyMap<string, FolderMount>
}

export interface FolderMount {
  readonly mount_point: string
  readonly is_network: boolean
}

/**
 * The part of the unit that depends on the configuration:
 * `/etc/systemd/system/UNIT.d/10-config.conf`. Missing paths do not stop the service from starting
 * (`-`), since a folder may be offline. Errors: `unit.path`.
 */
export function dropInOf(config: Config, facts: DropInFacts): string {
  const needs = unitNeeds(config)
  const mounts = needs.folders.map((folder) => mountSettings(folder, facts.mounts.get(folder)))
  const written = writtenBy(config, facts.state_dir)
  const read = [
    ...new Set([...needs.folders.map((folder) => readOnlyPath(folder, facts)), ...needs.files]),
  ]
  const groups = facts.groups.map((group) => `SupplementaryGroups=${group}`)
  const command = (verb: string) =>
    [
      unitWord(facts.node),
      commandWord(facts.program),
      verb,
      '--config',
      commandWord(facts.config_file),
    ].join(' ')
  const token = facts.is_token_own ? config.service.token_file : undefined
  const sections: [string, string[]][] = [
    ['[Unit]', []],
    [
      '# The folders are there before the service, as far as their mounts are known.',
      [...new Set(mounts.flat())],
    ],
    ['[Service]', []],
    [
      '# Where node and the program are, without a search along PATH.',
      [
        'ExecStart=',
        `ExecStart=${command('run')}`,
        'ExecReload=',
        `ExecReload=${command('reload')}`,
      ],
    ],
    [
      '# Watched folders, certificates and secrets: read, never written.',
      read.map((path) => setReadOnly(path, written)),
    ],
    [
      '# Reports and copies of them.',
      written.map((path) => `ReadWritePaths=${unitWord(path, '-')}`),
    ],
    [
      '# The token is read where the configuration has it, and no copy is made at the start: a reload sees a new one.',
      token === undefined ? [] : [setReadOnly(token, written), 'LoadCredential='],
    ],
    [
      '# Secrets that the configuration names in the credentials directory.',
      credentialSettings(needs.credentials),
    ],
    [
      '# A reload shows the service a token that was replaced.',
      facts.is_refreshing ? ['RefreshOnReload=credentials'] : [],
    ],
    ['# Who may read the folders.', groups],
  ]
  const head =
    '# Made by `sluice install` from the configuration: run it again when folders or reports have changed.'
  const parts = sections
    .map(([title, lines]) => [title, ...lines.filter((line) => line !== '')])
    .filter(([title, ...lines]) => title!.startsWith('[') || lines.length > 0)
  return `${[head, ...parts.flat()].join('\n')}\n`
}

/**
 * Lists rights that a drop-in lacks or gives without need, each with the remedy; empty if it fits
 * the configuration. Groups and the path of the program depend on the machine and are not compared.
 */
export function unitFit(config: Config, text: string): string[] {
  const needs = unitNeeds(config)
  const settings = readUnitText(text)
  const paths = (name: string) =>
    (settings.get(name) ?? []).map((word) => word.replace(/^[-+]{1,2}/, ''))
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
      .map(
        (directory) => `the unit does not let the service write reports to ${directory}: ${cure}`,
      ),
    ...writable
      .filter((path) => !wanted.has(path))
      .map(
        (path) =>
          `the unit lets the service write to ${path}, where nothing is written any more: ${cure}`,
      ),
    ...needs.files
      .filter((file) => !readable.includes(file))
      .map((file) => `the unit does not know the file ${file}: ${cure}`),
    ...needs.credentials
      .filter((name) => !credentials.includes(name))
      .map((name) => `the unit does not hand over the credential ${name}: ${cure}`),
  ]
}

/** Includes the state directory if it is not below that of the unit. */
function writtenBy(config: Config, state_dir: string): string[] {
  const own = isBelow(config.state_dir, state_dir) ? [] : [config.state_dir]
  return [...own, ...unitNeeds(config).written]
}

/**
 * The service needs the mounts of local folders. It starts after the mount of a share, but also
 * without it: with Requires=, an offline share would keep all other folders unwatched.
 */
function mountSettings(folder: string, mount: FolderMount | undefined): string[] {
  if (!mount?.is_network) return [`RequiresMountsFor=${unitWord(folder)}`]
  const unit = mountUnit(mount.mount_point)
  return [`Wants=${unit}`, `After=${unit}`]
}

/**
 * The path to make read-only is the mount point. A directory below it would become a mount of its
 * own in the service: it would keep the old file system after an unmount, and hide a new one.
 * (Measured; a mount point itself follows.)
 */
function readOnlyPath(folder: string, { mounts }: DropInFacts): string {
  const mount_point = mounts.get(folder)?.mount_point ?? '/'
  return mount_point === '/' ? folder : mount_point
}

function setReadOnly(path: string, written: readonly string[]): string {
  return written.includes(path) ? '' : `ReadOnlyPaths=${unitWord(path, '-')}`
}

/**
 * The file of `/run/credentials/sluice.service/hook` is `/etc/sluice/hook`, which only root reads.
 */
function credentialSettings(names: readonly string[]): string[] {
  return names
    .filter((name) => name !== 'token')
    .map((name) => `LoadCredential=${name}:${rawPath(`/etc/sluice/${name}`)}`)
}

/** Directory of the credentials of a system service, systemd.exec(5). */
const credentials_directory = /^\/run\/credentials\/[^/]+\/([A-Za-z0-9._-]+)$/

/**
 * Paths and credentials that a configuration needs from its unit. The token file is left out: the
 * unit passes the token as a credential, which comes first.
 */
export function unitNeeds(config: Config) {
  const certificates = [
    config.service.ca_file,
    ...mailServers(config).map(({ ca_file }) => ca_file),
  ]
  const named = [...secretFiles(config).map(({ file }) => file), ...certificates].filter(
    (path) => path !== undefined,
  )
  return {
    /** Watched folders, only read. */
    folders: unique(config.folders.map(({ path }) => path)),
    /** Directories of reports outside the state directory. */
    written: unique(reportDirs(config).filter((path) => !isBelow(path, config.state_dir))),
    /** Certificates and secrets that the configuration names by path. */
    files: unique(named.filter((path) => !credentials_directory.test(path))),
    /** Names of its secrets in the credentials directory, without the token. */
    credentials: unique(named.flatMap((path) => credentials_directory.exec(path)?.[1] ?? [])),
  }
}

function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)].sort()
}
