import { fileURLToPath } from 'node:url'
import type { Config } from '../../src/config/config.ts'
import { configFromObject } from '../../src/config/load.ts'
import { constants } from '../../src/config/schema/constants.ts'
import { parseDuration_ms, parseSize_bytes } from '../../src/config/schema/units.ts'

type Section = Record<string, unknown>
/** Changed constants by section and name; times in milliseconds. */
export type ChangedConstants = Record<string, Record<string, number>>

const by_section: Record<string, object> = constants

/** A configuration that, unlike a file, can set the constants too, each in its section. */
export function configOf(value: object, env?: NodeJS.ProcessEnv): Config {
  const { settings, changed } = splitConstants(value)
  return configWith(settings, changed, env)
}

export function configWith(
  settings: object,
  changed: ChangedConstants,
  env?: NodeJS.ProcessEnv,
): Config {
  const config = configFromObject(settings, env)
  const { folder, ...sections } = changed
  const merged = Object.entries(sections).map(([name, values]) => [
    name,
    { ...(config as unknown as Record<string, object>)[name], ...values },
  ])
  const folders = config.folders.map((one) => ({
    ...one,
    settle_cap_ms: Math.max(folder?.settle_cap_ms ?? constants.folder.settle_cap_ms, one.settle_ms),
  }))
  return { ...config, ...Object.fromEntries(merged), folders }
}

/** Splits a value into settings for a file and constants. `folder` is a section for all folders. */
export function splitConstants(value: object): { settings: Section; changed: ChangedConstants } {
  const settings: Section = { ...value }
  const changed: ChangedConstants = {}
  for (const [name, known] of Object.entries(by_section)) {
    const section = settings[name]
    if (typeof section !== 'object' || section === null) continue
    const [kept, constant]: [Section, Record<string, number>] = [{}, {}]
    for (const [key, set] of Object.entries(section)) {
      if (key in known) constant[key] = amountOf(set)
      else kept[key] = set
    }
    if (Object.keys(constant).length > 0) changed[name] = constant
    if (Object.keys(kept).length > 0) settings[name] = kept
    else delete settings[name]
  }
  return { settings, changed }
}

function amountOf(set: unknown): number {
  if (typeof set !== 'string') return set as number
  return /B$/.test(set) ? parseSize_bytes(set) : parseDuration_ms(set)
}

export const constants_setter = fileURLToPath(new URL('set-constants.mjs', import.meta.url))
const dist = fileURLToPath(new URL('../../dist', import.meta.url))

/** The environment that gives these constants to a built program. */
export function constantsEnv(
  changed: ChangedConstants,
  at = { setter: constants_setter, build: dist },
) {
  return {
    NODE_OPTIONS: `--import=file://${at.setter}`,
    SLUICE_TEST_BUILD: at.build,
    SLUICE_TEST_CONSTANTS: JSON.stringify(changed),
  }
}

const usual = structuredClone(by_section)

let running = 0

/**
 * Runs a program in this process with changed constants, and restores them after the last one.
 * Programs at the same time share the same constants.
 */
export async function runWithConstants<T>(
  changed: ChangedConstants,
  run: () => Promise<T>,
): Promise<T> {
  running += 1
  for (const [name, values] of Object.entries(changed)) Object.assign(by_section[name]!, values)
  try {
    return await run()
  } finally {
    running -= 1
    if (running === 0)
      for (const [name, values] of Object.entries(usual)) Object.assign(by_section[name]!, values)
  }
}

/** Merges two sets; the second one wins. */
export function mergedConstants(one: ChangedConstants, other: ChangedConstants): ChangedConstants {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return Object.fromEntries([...names].map((name) => [name, { ...one[name], ...other[name] }]))
}
