import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { Act } from '../day/day.ts'
import { reportChange } from '../doors/watch.ts'
import { placeOf } from '../world/mounts.ts'
import { real } from '../world/real.ts'
import { world } from '../world/world.ts'

type DiskAct = Extract<
  Act,
  { do: 'write' | 'move' | 'copy' | 'remove' | 'truncate' | 'link' | 'touch' }
>

/** Pause of a slow writer between two parts. */
const part_ms = 1_500

/** Does nothing if an earlier act has removed the file. */
export function actOnDisk(act: DiskAct): void {
  if (act.do === 'write') write(act)
  else {
    const place = placeIn(act.name)
    if (real.lstatSync(place.absolute, { throwIfNoEntry: false })?.isFile()) actOnFile(act, place)
  }
}

function actOnFile(act: Exclude<DiskAct, { do: 'write' }>, place: Place): void {
  switch (act.do) {
    case 'move':
      moveTo(placeIn(act.to), place)
      break
    case 'copy':
      put(act.to, real.readFileSync(place.absolute))
      break
    case 'remove':
      real.rmSync(place.absolute)
      heard(place)
      break
    case 'truncate':
      real.truncateSync(place.absolute, Math.floor(real.statSync(place.absolute).size / 2))
      changed(place)
      break
    case 'link':
      real.rmSync(place.absolute)
      real.symlinkSync(join(world.base, 'outside.txt'), place.absolute)
      world.times.set(real.lstatSync(place.absolute, { bigint: true }).ino, { ctime_ns: now_ns() })
      heard(place)
      break
    case 'touch':
      changed(place)
  }
}

function moveTo(to: Place, from: Place): void {
  if (!makeDirectory(to)) return
  real.renameSync(from.absolute, to.absolute)
  changed(to, { keeps_mtime: true })
  heard(from)
}

/** The bytes of an act follow from its number. They are text, because the service reads it. */
function textOf(number: number, bytes: number): Buffer {
  const words = createHash('md5').update(`${number}`).digest('hex')
  const line = `act ${number} ${words} the quick brown fox jumps over the lazy dog\n`
  return Buffer.from(line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes))
}

function write({ name, number, bytes, how }: Extract<Act, { do: 'write' }>): void {
  const text = textOf(number, bytes)
  if (how === 'by rename') {
    const temporary = `${name.slice(0, name.indexOf('/'))}/.${number}.part`
    put(temporary, text)
    moveTo(placeIn(name), placeIn(temporary))
  } else if (how === 'in parts') {
    put(name, text.subarray(0, Math.ceil(bytes / 2)))
    const pause = world.clockOf(undefined, 'service').sleep(part_ms)
    void pause.then(() => world.asSim(() => put(name, text)))
  } else put(name, text)
}

function put(name: string, bytes: Buffer): void {
  const place = placeIn(name)
  if (!makeDirectory(place)) return
  real.writeFileSync(place.absolute, bytes)
  changed(place)
}

interface Place {
  folder: string
  path: string
  absolute: string
}

function placeIn(name: string): Place {
  const slash = name.indexOf('/')
  const [folder, path] = [name.slice(0, slash), name.slice(slash + 1)]
  return { folder, path, absolute: join(placeOf(folder), path) }
}

/** Makes the directory of a file. False: another directory is in the place of the file. */
function makeDirectory({ folder, path, absolute }: Place): boolean {
  const directory = dirname(absolute)
  if (!real.existsSync(directory)) {
    real.mkdirSync(directory, { recursive: true })
    const made = dirname(path)
    directoryChanged(directory)
    directoryChanged(dirname(directory))
    reportChange(folder, made, 'directory')
  }
  const there = real.lstatSync(absolute, { throwIfNoEntry: false })
  if (there?.isSymbolicLink()) real.rmSync(absolute)
  return !there?.isDirectory()
}

/** Each call is later by a nanosecond, so that no two changes have equal times. */
function now_ns(): bigint {
  return (
    BigInt(Math.floor(world.wall_ms('machine'))) * 1_000_000n + BigInt(world.next() % 1_000_000)
  )
}

function changed(place: Place, { keeps_mtime = false } = {}): void {
  const { ino } = real.lstatSync(place.absolute, { bigint: true })
  const at_ns = now_ns()
  const mtime_ns = keeps_mtime ? world.times.get(ino)?.mtime_ns : at_ns
  world.times.set(ino, { ctime_ns: at_ns, ...(mtime_ns === undefined ? {} : { mtime_ns }) })
  heard(place)
}

function heard({ folder, path, absolute }: Place): void {
  world.changed_ms.set(`${folder}/${path}`, world.at_ms)
  world.disk_version++
  directoryChanged(dirname(absolute))
  reportChange(folder, path)
}

function directoryChanged(directory: string): void {
  const at_ns = now_ns()
  const { ino } = real.statSync(directory, { bigint: true })
  world.times.set(ino, { ctime_ns: at_ns, mtime_ns: at_ns })
}

/** Name -> md5 of every file that counts, read directly. */
export function filesOnDisk(): Map<string, string> {
  const found = new Map<string, string>()
  for (const folder of ['docs', 'notes']) collect(placeOf(folder), folder, found)
  return found
}

function collect(directory: string, name: string, found: Map<string, string>): void {
  if (!real.existsSync(directory)) return
  const entries = real.readdirSync(directory, { withFileTypes: true })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = `${name}/${entry.name}`
    if (entry.isDirectory()) collect(join(directory, entry.name), inner, found)
    else if (entry.isFile() && !entry.name.endsWith('.part')) {
      const bytes = real.readFileSync(join(directory, entry.name))
      found.set(inner, createHash('md5').update(bytes).digest('hex'))
    }
  }
}
