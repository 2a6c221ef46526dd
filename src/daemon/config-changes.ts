import { SluiceError } from '../base/errors.ts'
import type { Config } from '../config/config.ts'

/** Both configs are checked and made by the same code: equal ones have equal texts. */
function isSame(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) === JSON.stringify(after)
}

const counted = { folders: 'folder', prompts: 'prompt' } as const

/** What is different, in words for people: `2 folders added`, `1 prompt changed`, `uploads changed`. Empty: nothing is. */
export function changesBetween(before: Config, after: Config): string[] {
  const lists = (['folders', 'prompts'] as const).flatMap((list) =>
    changesOfList(counted[list], before[list], after[list]),
  )
  const sections = Object.keys(after) as (keyof Config)[]
  const changed = sections.filter((section) => !(section in counted) && !isSame(before[section], after[section]))
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
    changed: after.filter((item) => known.has(item.name) && !isSame(known.get(item.name), item)).length,
  }
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([how, count]) => `${count} ${what}${count === 1 ? '' : 's'} ${how}`)
}

/** Whether calls go to the same place in the same way: only then what is known of it, and a new token, are good for both. */
export function isSameService({ service: before }: Config, { service: after }: Config): boolean {
  return before.base_url === after.base_url && before.ca_file === after.ca_file
}

/** What changed and takes effect with the next start only. */
export function changesForNextStart(before: Config, after: Config): string[] {
  return before.log.format === after.log.format ? [] : ['log.format']
}

/** Error `config.needs_restart`. */
export function refuseWhatCannotChange(before: Config, after: Config): void {
  if (before.state_dir === after.state_dir) return
  throw new SluiceError({
    code: 'config.needs_restart',
    message: `state_dir cannot change while Sluice runs (${before.state_dir} to ${after.state_dir}): what it knows lies there`,
    hint: 'stop Sluice, move the directory, start it again; until then the configuration in force stays as it was',
  })
}

export function projectsOf({ folders, prompts }: Config): string[] {
  return [...new Set([...folders, ...prompts].map(({ project_id }) => project_id))]
}
