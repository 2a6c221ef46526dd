import { lstatSync } from 'node:fs'
import { listOf } from '../../../src/base/run/group.ts'
import { openLedgerView } from '../../../src/ledger/views/view.ts'
import { filesOnDisk } from '../rig/disk-truth.ts'
import type { Alive, Policy, RandomLife } from './random-life.ts'

const folders = ['docs', 'notes']

/** Name -> md5, read directly from the disk. */
export function diskOf({ journey }: RandomLife): Map<string, string> {
  return new Map(
    folders.flatMap((folder) =>
      [...filesOnDisk(journey.at(folder))].map(([path, md5]): [string, string] => [
        `${folder}/${path}`,
        md5,
      ]),
    ),
  )
}

/**
 * Faults of an idle Sluice. Every file on the disk must be ready and usable once, under the asset
 * in the ledger and with its labels. The exception: a user removed it from the service, the policy
 * respects that, and the status says so.
 */
export function faultsOf(life: RandomLife, policy: Policy): string[] {
  const { journey } = life
  const disk = diskOf(life)
  const by_md5 = new Map<string, Alive[]>()
  for (const asset of life.alive()) listOf(by_md5, asset.md5).push(asset)
  const known = new Map(journey.files().map((file) => [file.name, file]))
  const faults = [...by_md5.values()].flatMap((same) =>
    same.length > 1 ? [`there ${same.length} times: ${same.map(({ asset_id }) => asset_id)}`] : [],
  )
  let removed = 0
  for (const [name, md5] of disk) {
    const file = known.get(name)
    const asset = by_md5.get(md5)?.[0]
    const is_right =
      file?.stage === 'ready' && file.md5 === md5 && file.asset_id === asset?.asset_id
    const is_respected =
      policy === 'respect' &&
      !asset &&
      life.removed.has(md5) &&
      file?.stage === 'removed_on_service'
    if (is_respected) removed++
    else if (!is_right)
      faults.push(
        `${name}: ${file?.stage} ${file?.md5 === md5 ? '' : 'of other bytes '}${asset?.asset_id}`,
      )
  }
  for (const { name, stage } of known.values())
    if (!disk.has(name) && !stage.startsWith('gone')) faults.push(`${name}: ${stage}`)
  faults.push(...wrongLabels(disk, by_md5), ...wrongCount(life, removed))
  if (faults.length === 0) life.forgetAdopted(new Set(disk.values()))
  return faults
}

/**
 * Faults in the questions of a prompt, from the service's own chats: no content twice, under any
 * asset, and every usable content of the disk.
 */
export function wronglyReported(life: RandomLife): string[] {
  const { journey, md5_by_asset } = life
  const asked = journey.service
    .chats(journey.project_id)
    .flatMap(({ messages }) => messages.flatMap(({ scope }) => scope?.asset_ids ?? []))
  const times = new Map<string | undefined, string[]>()
  for (const asset_id of asked) listOf(times, md5_by_asset.get(asset_id)).push(asset_id)
  const twice = [...times].flatMap(([md5, ids]) => {
    if (md5 === undefined) return [`asked about what was never there: ${ids}`]
    return ids.length > 1 ? [`asked about ${ids.length} times: ${md5} as ${ids}`] : []
  })
  const alive = new Set(life.alive().map(({ md5 }) => md5))
  const never = [...diskOf(life)].filter(([, md5]) => alive.has(md5) && !times.has(md5))
  return [...twice, ...never.map(([name]) => `never asked about: ${name}`)]
}

/**
 * Compares with the union of labels over all places of the same bytes, as the folders of
 * random-life.ts set them.
 */
function wrongLabels(
  disk: ReadonlyMap<string, string>,
  by_md5: ReadonlyMap<string, readonly Alive[]>,
): string[] {
  const wanted = new Map<string, Set<string>>()
  for (const [name, md5] of disk) {
    const labels = wanted.get(md5) ?? new Set()
    const [folder, ...path] = name.split('/')
    if (folder === 'docs') labels.add('team')
    if (folder === 'docs' && path.length > 1) labels.add(path[0]!)
    wanted.set(md5, labels)
  }
  return [...wanted].flatMap(([md5, labels]) => {
    const asset = by_md5.get(md5)?.[0]
    const [has, should] = [[...(asset?.labels ?? [])].sort().join(), [...labels].sort().join()]
    return !asset || has === should
      ? []
      : [`labels of ${asset.asset_id}: ${has} instead of ${should}`]
  })
}

/** Compares the numbers that the status shows. */
function wrongCount({ journey }: RandomLife, removed: number): string[] {
  const view = openLedgerView(journey.config().state_dir)
  try {
    const counted = view
      .folders()
      .reduce((sum, { stages }) => sum + stages.removed_on_service.files, 0)
    return counted === removed
      ? []
      : [`status counts ${counted} as removed there, and ${removed} are`]
  } finally {
    view.close()
  }
}

/** The files and assets on both sides, read directly. */
export interface Snapshot {
  /** By name: the fields by which lstat distinguishes two versions. */
  disk: ReadonlyMap<string, string>
  /** Ids of usable assets. */
  alive: ReadonlySet<string>
  /** Ids of assets that only other users uploaded. */
  theirs: ReadonlySet<string>
}

export function snapshotOf(life: RandomLife): Snapshot {
  const stat = (name: string) => {
    const { size, mtimeNs, ctimeNs, ino } = lstatSync(life.journey.at(name), { bigint: true })
    return [size, mtimeNs, ctimeNs, ino].join()
  }
  return {
    disk: new Map([...diskOf(life).keys()].map((name) => [name, stat(name)])),
    alive: new Set(life.alive().map(({ asset_id }) => asset_id)),
    theirs: new Set(life.foreign.keys()),
  }
}

/**
 * The differences that `verify` must name after these changes to an idle Sluice, and no others:
 * `kind name`, sorted.
 */
export function differencesSince(before: Snapshot, life: RandomLife): string[] {
  const now = snapshotOf(life)
  const of = (kind: string, ids: Iterable<string>) => [...ids].map((id) => `${kind} ${id}`)
  const without = (names: Iterable<string>, others: { has(name: string): boolean }) =>
    [...names].filter((name) => !others.has(name))
  return [
    ...of('unknown_on_disk', without(now.disk.keys(), before.disk)),
    ...of('gone_from_disk', without(before.disk.keys(), now.disk)),
    ...of(
      'changed_on_disk',
      [...now.disk].flatMap(([name, stat]) =>
        before.disk.has(name) && before.disk.get(name) !== stat ? [name] : [],
      ),
    ),
    // Assets of other users were not our concern before, and are not when they are gone.
    ...of(
      'missing_on_service',
      without(before.alive, now.alive).filter((id) => !before.theirs.has(id)),
    ),
    ...of(
      'unknown_on_service',
      [...now.alive].filter((id) => now.theirs.has(id)),
    ),
  ].sort()
}

/**
 * Differences that `verify` names during work and that are wrong. Labels may be on their way at any
 * time.
 */
export function falselyNamed(named: readonly string[], life: RandomLife): string[] {
  const { disk, alive, theirs } = snapshotOf(life)
  const is_so: Record<string, (name: string) => boolean> = {
    unknown_on_disk: (name) => disk.has(name),
    changed_on_disk: (name) => disk.has(name),
    gone_from_disk: (name) => !disk.has(name),
    missing_on_service: (id) => !alive.has(id),
    unknown_on_service: (id) => theirs.has(id),
  }
  return named.filter((line) => {
    const [kind = '', ...name] = line.split(' ')
    return !is_so[kind]?.(name.join(' '))
  })
}
