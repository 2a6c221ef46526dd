import { join } from 'node:path'
import { slot_costs } from '../doors/http.ts'
import { real } from '../world/real.ts'
import { world } from '../world/world.ts'
import type { Play, StoredAsset } from './play.ts'

/**
 * Faults at the end of a day, after quiet time. It reads the disk, the service and the reports, but
 * no table of the ledger.
 */
export function wrongAtEnd(play: Play): string[] {
  const assets = play.assets()
  const by_md5 = new Map<string, StoredAsset[]>()
  for (const asset of assets) {
    if (asset.bare || asset.md5 === null) continue
    by_md5.set(asset.md5, [...(by_md5.get(asset.md5) ?? []), asset])
  }
  return [
    ...wrongContents(play, by_md5),
    ...wrongLabels(play, by_md5),
    ...wrongReports(play, by_md5),
    ...tooManySlots(play, assets),
  ]
}

function wrongContents(play: Play, by_md5: ReadonlyMap<string, readonly StoredAsset[]>): string[] {
  const wrong: string[] = []
  for (const [name, md5] of play.onDisk()) {
    const ready = (by_md5.get(md5) ?? []).filter(({ status }) => status === 'ready')
    if (ready.length === 0 && !isEmpty(md5)) wrong.push(`${name} (${md5}) is not in the service`)
  }
  for (const [md5, same] of by_md5) {
    const alive = same.filter(({ status }) => status !== 'failed')
    if (alive.length > 1) wrong.push(`${md5} is in the service ${alive.length} times`)
  }
  const { count, reasons } = play.service.blobFaults
  if (count > 0) wrong.push(`the blob store got what no client should send: ${reasons.join('; ')}`)
  return wrong
}

/** The first folder has a label, the second none; a content in both has that of the first. */
function wrongLabels(play: Play, by_md5: ReadonlyMap<string, readonly StoredAsset[]>): string[] {
  const in_docs = new Set(
    [...play.onDisk()].flatMap(([name, md5]) => (name.startsWith('docs/') ? [md5] : [])),
  )
  return [...new Set(play.onDisk().values())].flatMap((md5) => {
    const asset = by_md5.get(md5)?.find(({ status }) => status === 'ready')
    const wanted = in_docs.has(md5) ? play.label : ''
    const labels = asset?.labels.join(', ') ?? wanted
    return labels === wanted ? [] : [`${md5} has the labels "${labels}" and not "${wanted}"`]
  })
}

const empty_md5 = 'd41d8cd98f00b204e9800998ecf8427e'

/** True if it is the md5 of an empty file, which is not uploaded. */
export function isEmpty(md5: string): boolean {
  return md5 === empty_md5
}

/** Contents that are usable in the service now. */
export function readyMd5s(play: Play): Set<string> {
  return new Set(
    play.assets().flatMap(({ md5, status }) => (md5 !== null && status === 'ready' ? [md5] : [])),
  )
}

interface Report {
  file: string
  prompt: string
  md5s: string[]
}

function reportsOf(play: Play): Report[] {
  const root = join(play.state_dir, 'reports')
  if (!real.existsSync(root)) return []
  const files = (real.readdirSync(root, { recursive: true }) as string[]).filter((name) =>
    name.endsWith('.json'),
  )
  return files.sort().map((file) => {
    const { prompt, assets } = JSON.parse(real.readFileSync(join(root, file), 'utf8')) as {
      prompt: string
      assets: { md5: string }[]
    }
    return { file, prompt, md5s: assets.map(({ md5 }) => md5) }
  })
}

function wrongReports(play: Play, by_md5: ReadonlyMap<string, readonly StoredAsset[]>): string[] {
  const wrong: string[] = []
  const times = new Map<string, string[]>()
  for (const { file, md5s } of reportsOf(play)) {
    for (const md5 of md5s) times.set(md5, [...(times.get(md5) ?? []), file])
  }
  for (const [md5, files] of times) {
    if (files.length > 1)
      wrong.push(`${md5} is covered by ${files.length} reports: ${files.join(', ')}`)
  }
  for (const [name, md5] of play.onDisk()) {
    if (isEmpty(md5) || !by_md5.has(md5)) continue
    if (!times.has(md5)) wrong.push(`${name} (${md5}) is covered by no report`)
  }
  return wrong
}

/**
 * Slots on their way at once, at most: a kill, a failing disk, or a clock that jumps beyond the end
 * of the tickets can leave them.
 */
const slots_on_the_way = 8

/**
 * A slot may be left where its answer was lost or its calls failed, as the door counted, or where a
 * kill hit its holder.
 */
function tooManySlots(play: Play, assets: readonly StoredAsset[]): string[] {
  const bare = assets.filter((asset) => asset.bare).length
  const breaks = play.day.faults.filter(({ kind }) => kind === 'clock' || kind === 'disk').length
  const sleeps = play.day.acts.filter((act) => act.do === 'sleep').length
  const max = (play.kills + breaks + sleeps) * slots_on_the_way + world.counted(slot_costs)
  return bare > max ? [`${bare} bare slots, and at most ${max} can be explained`] : []
}
