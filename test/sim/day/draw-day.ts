import { Chance } from '../../journeys/rig/chance.ts'
import {
  type Act,
  type Day,
  disk_hows,
  type Fault,
  type FaultKind,
  fault_forms,
  fault_kinds,
  folders,
  type Happening,
  type Kill,
  mount_hows,
  places,
  type ServiceHow,
  type Span,
  service_hows,
  watcher_hows,
} from './day.ts'

const minute = 60_000
const second = 1_000

const file_events = 34
/** The value in the configuration of a day. */
const settle_ms = 2 * second
const directories = ['', '', 'a/', 'a/b/', 'deep/er/']
const sizes = [0, 40, 300, 2_000, 20_000, 70_000, 400_000]

/** The random day of a seed: the same on every machine. */
export function drawDay(seed: number, without: readonly FaultKind[] = []): Day {
  const chance = new Chance(seed)
  const length_ms = (8 + chance.below(12)) * minute
  const events = drawFileEvents(chance, length_ms)
  const words = drawWords(chance, length_ms)
  const acts = [...events, ...words, ...drawReloads(chance, length_ms, [...events, ...words])]
  const kinds = fault_kinds.filter((kind) => !without.includes(kind))
  const faults = drawFaults(chance, { seed, length_ms, kinds })
  const kills = Array.from({ length: 1 + chance.below(2) }, (_, index) =>
    drawKill(chance, seed + index),
  )
  kills.sort((a, b) => a.after_fact - b.after_fact)
  acts.sort((a, b) => a.at_ms - b.at_ms)
  return { seed, length_ms, acts, faults, kills }
}

/**
 * Draws a kill. Consecutive days use one of these events after the other, so that kills meet every
 * state.
 */
function drawKill(chance: Chance, number: number): Kill {
  const after_fact = 3 + chance.below(chance.oneIn(2) ? 60 : 260)
  if (chance.oneIn(2)) return { after_fact, lost: chance.oneIn(3) }
  return { after_fact, lost: false, comes_with: kill_happenings[number % kill_happenings.length]! }
}

function drawFileEvents(chance: Chance, length_ms: number): Act[] {
  const names: string[] = []
  const newName = (number: number) => {
    const name = `${chance.pick(folders)}/${chance.pick(directories)}f${number}.txt`
    names.push(name)
    return name
  }
  const acts: Act[] = []
  // The first files exist before the daemon starts.
  for (let number = 1; number <= 4; number++) {
    acts.push({
      at_ms: 0,
      do: 'write',
      name: newName(number),
      number,
      bytes: chance.pick(sizes)!,
      how: 'at once',
    })
  }
  // Users work in bursts.
  let at_ms = 0
  for (let event = 5; event < file_events; event++) {
    const gap_ms = chance.below(chance.oneIn(2) ? 400 : 9 * second)
    at_ms = chance.oneIn(4) ? chance.below(length_ms) : Math.min(length_ms, at_ms + gap_ms)
    acts.push(drawFileEvent(chance, { at_ms, number: event, newName, names }))
  }
  return acts
}

function drawFileEvent(
  chance: Chance,
  {
    at_ms,
    number,
    newName,
    names,
  }: { at_ms: number; number: number; newName: (n: number) => string; names: string[] },
): Act {
  const name = chance.pick(names)!
  const how = chance.pick(['at once', 'at once', 'in parts', 'by rename'] as const)!
  // Sometimes an act repeats earlier bytes.
  const text = {
    number: chance.oneIn(5) ? 1 + chance.below(number) : number,
    bytes: chance.pick(sizes)!,
  }
  switch (chance.below(12)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return { at_ms, do: 'write', name: newName(number), ...text, how }
    case 4:
    case 5:
    case 6:
      return { at_ms, do: 'write', name, ...text, how }
    case 7:
      return { at_ms, do: 'move', name, to: newName(number) }
    case 8:
      return { at_ms, do: 'copy', name, to: newName(number) }
    case 9:
      return { at_ms, do: 'remove', name }
    case 10:
      return { at_ms, do: 'truncate', name }
    default:
      return { at_ms, do: chance.oneIn(2) ? 'link' : 'touch', name }
  }
}

function drawWords(chance: Chance, length_ms: number): Act[] {
  const acts: Act[] = []
  const at = () => ({ at_ms: chance.below(length_ms) })
  const folder = () => chance.pick(folders)!
  if (chance.oneIn(2)) acts.push({ ...at(), do: 'retry', folder: folder() })
  if (chance.oneIn(3)) acts.push({ ...at(), do: 'accept', folder: folder() })
  if (chance.oneIn(2)) acts.push({ ...at(), do: 'rescan', folder: folder() })
  if (chance.oneIn(3)) acts.push({ ...at(), do: 'pause', for_ms: (1 + chance.below(120)) * second })
  if (chance.oneIn(6)) acts.push({ ...at(), do: 'resume' })
  if (chance.oneIn(2)) acts.push({ ...at(), do: 'ask' })
  if (chance.oneIn(6)) acts.push({ ...at(), do: 'sleep', for_ms: (1 + chance.below(300)) * minute })
  return acts
}

/**
 * Some reloads come seconds after the previous one; the last one keeps the prompt in the
 * configuration.
 */
function drawReloads(chance: Chance, length_ms: number, events: readonly Act[]): Act[] {
  // A change of one settle time ago is just being sent.
  const amidSending = () =>
    Math.min(length_ms, chance.pick(events)!.at_ms + settle_ms + chance.below(400))
  const moments = Array.from({ length: 1 + chance.below(3) }, () => {
    return chance.oneIn(3) ? chance.below(length_ms) : amidSending()
  })
  if (chance.oneIn(2)) moments.push(Math.min(length_ms, moments[0]! + chance.below(6 * second)))
  // A question is on its way for a quarter of a minute.
  const ask = events.find((act) => act.do === 'ask')
  if (ask && chance.oneIn(2)) moments.push(ask.at_ms + chance.below(20 * second))
  moments.sort((a, b) => a - b)
  return moments.map((at_ms, index) => ({
    at_ms,
    do: 'reload',
    concurrency: 1 + chance.below(6),
    label: `team ${chance.below(2)}`,
    without_prompt: index < moments.length - 1 && chance.oneIn(3),
  }))
}

const statuses = [500, 502, 503, 429, 404, 401, 408]

/** Events that bring a content or a run into each state, for a fault that should meet it. */
const happenings: readonly Happening[] = [
  'file_settled',
  'slot_intended',
  'slot_reserved',
  'bytes_accepted',
  'ingest_started',
  'removal_claimed',
  'run_due',
  'run_planned',
  'turn_intended',
  'turn_asked',
  'turn_answered',
]

/** A report is recorded once its file exists. */
const kill_happenings: readonly Happening[] = [...happenings, 'run_written']

/** Each fault with each event once, in an order in which neighbours have little in common. */
const targets = fault_forms.flatMap((form) =>
  happenings.map((begins_with) => ({ form, begins_with })),
)
const stride = 97

/** Consecutive days use these targets in turn, two in each. */
function targetOf(seed: number, index: number): (typeof targets)[number] {
  return targets[((seed * 2 + index) * stride) % targets.length]!
}

/**
 * Draws at least three faults, of two kinds if there are two. Two of them begin with an event that
 * brings something into a state.
 */
function drawFaults(
  chance: Chance,
  { seed, length_ms, kinds }: { seed: number; length_ms: number; kinds: readonly FaultKind[] },
): Fault[] {
  if (kinds.length === 0) return []
  const faults = [0, 1].map((index) => {
    const { form, begins_with } = targetOf(seed, index)
    if (!kinds.includes(form.kind))
      return drawFault(chance, { kind: chance.pick(kinds)! }, length_ms)
    const fault = drawFault(chance, form, length_ms)
    // Early, so that the awaited event is still to come.
    const early_ms = Math.floor((fault.from_ms - (fault.kind === 'mounts' ? first_scan_ms : 0)) / 2)
    return {
      ...fault,
      from_ms: fault.from_ms - early_ms,
      to_ms: fault.to_ms - early_ms,
      begins_with,
    }
  })
  const met = new Set(faults.map(({ kind }) => kind))
  const others = met.size > 1 ? kinds : kinds.filter((kind) => !met.has(kind))
  return [...faults, drawFault(chance, { kind: chance.pick(others) ?? faults[0]!.kind }, length_ms)]
}

/** The first life has scanned its folders by then. */
const first_scan_ms = 10 * second

/** `how` is drawn if it is not given. */
function drawFault(
  chance: Chance,
  { kind, how }: { kind: FaultKind; how?: string },
  length_ms: number,
): Fault {
  // A folder that was never scanned on its own disk does not know it.
  const first_ms = kind === 'mounts' ? first_scan_ms : 0
  const from_ms = Math.max(first_ms, chance.below(Math.floor(length_ms * 0.8)))
  const span = (max_ms: number) => {
    return { from_ms, to_ms: Math.min(length_ms, from_ms + second + chance.below(max_ms)) }
  }
  const howOf = <How extends string>(hows: readonly How[]) =>
    hows.find((one) => one === how) ?? chance.pick(hows)!
  switch (kind) {
    case 'disk':
      return { kind, how: howOf(disk_hows), ...span(4 * minute) }
    case 'descriptors':
      return { kind, ...span(90 * second) }
    case 'watcher':
      return { kind, how: howOf(watcher_hows), ...span(8 * minute) }
    case 'mounts':
      return { kind, folder: chance.pick(folders)!, how: howOf(mount_hows), ...span(6 * minute) }
    case 'service':
      return drawServiceFault(chance, howOf(service_hows), span)
    default:
      return {
        kind: 'clock',
        step_ms:
          (chance.oneIn(2) ? 1 : -1) * (1 + chance.below(chance.oneIn(5) ? 7_200 : 900)) * second,
        ...span(10 * minute),
      }
  }
}

/** Calls for faults that make sense only there. */
const own_places: Partial<Record<ServiceHow, string>> = {
  early: 'put',
  'bad ticket': 'create',
  'unknown slot': 'complete',
}

function drawServiceFault(chance: Chance, how: ServiceHow, span: (max_ms: number) => Span): Fault {
  const place = own_places[how] ?? chance.pick(places)!
  return {
    kind: 'service',
    how,
    place,
    status: how === 'unknown slot' ? 404 : chance.pick(statuses)!,
    one_in: chance.pick([1, 1, 2, 3])!,
    // If many contents meet it, the daemon blames the service; if one does, the content.
    ...(chance.oneIn(3) || how === 'bad ticket' || how === 'unknown slot'
      ? { one_content: true }
      : {}),
    ...span(8 * minute),
  }
}
