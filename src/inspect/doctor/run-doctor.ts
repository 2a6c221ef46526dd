import { dirname } from 'node:path'
import { codeOf, messageOf } from '../../base/errors.ts'
import { formatDuration } from '../../base/format.ts'
import { type Clock, isoTime } from '../../base/time.ts'
import { readEnvironment } from '../../config/environment.ts'
import { reportDirs, secretFiles } from '../../config/targets.ts'
import { type ExaminedConfig, examineConfig, type UsableConfig } from '../../config/usable.ts'
import { freeMemory_bytes } from '../../disk/examine-slots.ts'
import { inotifyLimit } from '../../disk/inotify-limits.ts'
import { type LedgerView, openLedgerView } from '../../ledger/view.ts'
import { type Check, type CheckId, check_groups, findings, withinTime } from './check.ts'
import { checkCa } from './check-ca.ts'
import { checkConfig } from './check-config.ts'
import { checkCommands, checkMail, checkWebhooks } from './check-deliveries.ts'
import { checkFolders } from './check-folders.ts'
import { checkBlobHost } from './check-hosts.ts'
import { checkLedger } from './check-ledger.ts'
import { checkMd5, checkNode, checkOpenFiles, checkSqlite } from './check-machine.ts'
import { checkRemovals } from './check-removals.ts'
import { checkSecretFiles } from './check-secret-files.ts'
import { checkService } from './check-service.ts'
import { checkSpace, checkStateDir, checkUser } from './check-state.ts'
import { checkTimeZones } from './check-time-zones.ts'
import { checkToken } from './check-token.ts'
import { checkUnit } from './check-unit.ts'
import { checkWatching, type WatchMeans } from './check-watching.ts'
import { type DoctorLimits, type DoctorTools, isWithin, usual_limits } from './doctor-tools.ts'
import { type FoundUnit, findUnit } from './find-unit.ts'
import { lookAtFolders } from './look-at-folder.ts'
import { deadPlaces } from './probe-places.ts'
import { checkUnitRights, userToTry } from './unit-rights.ts'

/** Version of the JSON answer: it grows when a field goes or changes its meaning, not when one is added. */
const doctor_version = 1

export interface DoctorAnswer {
  version: typeof doctor_version
  at: string
  config_file: string | null
  faults: number
  warnings: number
  /** In the order of check_groups. */
  checks: Check[]
}

/**
 * Looks at everything that Sluice depends on and changes nothing. It never throws: what cannot be looked at is a check of its own. A
 * configuration with faults is checked as far as it holds; no place that hangs is waited for longer than the limits say.
 */
export async function runDoctor(options: {
  file?: string | undefined
  env?: NodeJS.ProcessEnv
  clock: Clock
  limits?: Partial<DoctorLimits>
  /** Where installed units are looked for. */
  system_dir?: string
}): Promise<DoctorAnswer> {
  const { clock, env } = options
  const limits = { ...usual_limits, ...options.limits }
  const named = { file: options.file, ...(options.env ? { env: options.env } : {}) }
  // First without touching a path: one of them may lie on a share that hangs.
  const read = examineConfig({ ...named, looks_at_paths: false })
  const dead = read.usable ? await deadPlaces(placesOf(read.usable, options.env), limits.answer_ms, clock) : []
  const examined = dead.length > 0 ? read : examineConfig({ ...named, looks_at_paths: true })
  const checks = [...checkConfig(examined, dead), ...machineChecks()]
  if (examined.usable) {
    const unit = examined.file === undefined ? undefined : findUnit(examined.file, options.system_dir)
    checks.push(
      ...(await configuredChecks(examined.usable, {
        clock,
        limits,
        dead,
        env,
        unit,
        config_file: examined.file,
        faulty: examined.fields,
      })),
    )
  }
  return answerOf(examined, inOrder(checks), clock.now_ms())
}

function machineChecks(): Check[] {
  return [checkNode(process.versions.node), ...checkSqlite(), checkMd5(), ...checkOpenFiles()]
}

function placesOf(config: UsableConfig, env: NodeJS.ProcessEnv | undefined): string[] {
  const { token_file } = readEnvironment(env)
  const files = [
    config.service?.token_file,
    config.service?.ca_file,
    token_file,
    ...secretFiles(config).map(({ file }) => file),
  ]
  const directories = files.filter((file) => file !== undefined).map((file) => dirname(file))
  return [...config.folders.map(({ path }) => path), config.state_dir, ...reportDirs(config), ...directories]
}

async function configuredChecks(
  config: UsableConfig,
  around: {
    clock: Clock
    limits: DoctorLimits
    dead: readonly string[]
    env: NodeJS.ProcessEnv | undefined
    unit: FoundUnit | undefined
    config_file: string | undefined
    /** Fields with faults. */
    faulty: readonly string[]
  },
): Promise<Check[]> {
  const { clock, limits, dead, env, unit, config_file, faulty } = around
  const environment = readEnvironment(env)
  const isDead = (path: string) => isWithin(path, dead)
  const ledger = isDead(config.state_dir) ? undefined : openLedgerOrNone(config.state_dir)
  const tools: DoctorTools = {
    config,
    clock,
    limits,
    proxy: environment.proxy,
    uid: process.getuid?.(),
    ledger,
    isDead,
  }
  try {
    const token = checkToken(config.service ?? {}, unit?.token_file, env, faulty.includes('service.token_file'))
    const ca = checkCa(config.service?.ca_file, clock.now_ms())
    const user = userToTry(tools.uid, unit)
    const token_file = unit?.token_file === undefined ? config.service?.token_file : undefined
    const files = [config_file, config.service?.ca_file, token_file].filter((file) => file !== undefined)
    const question = { config, limits, user: user ?? '', files, dead: [...dead] }
    const rights = user && unit ? await checkUnitRights(unit, question, tools) : undefined
    const parts: [CheckId, () => Check[] | Promise<Check[]>][] = [
      ['secret_files', () => (rights?.is_tried ? [] : checkSecretFiles(tools))],
      ['time_zones', () => checkTimeZones(config.prompts)],
      ['project', () => checkService(tools, token.secrets, ca.pem)],
      ['blob_host', () => checkBlobHost(tools, ca.pem)],
      ['folder', () => folderChecks(tools, rights)],
      ['user', () => (rights?.is_tried ? [] : checkUser(tools))],
      ['state_dir', () => checkStateDir(tools)],
      ['space', () => checkSpace(tools)],
      ['ledger', () => checkLedger(tools)],
      ['removals', () => checkRemovals(tools)],
      ['unit', () => checkUnit(config, unit)],
      ['mail', () => checkMail(tools)],
      ['webhook', () => checkWebhooks(tools)],
      ['command', () => checkCommands(tools)],
    ]
    const done = await Promise.all(parts.map(([id, part]) => safely(id, part, tools)))
    return [...token.checks, ...ca.checks, ...(rights?.checks ?? []), ...done.flat()]
  } finally {
    ledger?.close()
  }
}

/**
 * Where a process of the unit's user has tried them (`rights`), its checks of the folders stand
 * there already.
 */
async function folderChecks(tools: DoctorTools, rights: { is_tried: boolean } | undefined): Promise<Check[]> {
  const looks = await lookAtFolders(tools)
  return [
    ...(rights?.is_tried ? [] : checkFolders(looks, tools.limits.answer_ms, rights && 'root')),
    ...checkWatching(looks, watchMeans(), tools.config.watching),
  ]
}

function watchMeans(): WatchMeans {
  const [watches, instances] = [inotifyLimit('watches'), inotifyLimit('instances')]
  return { watches, instances, free_memory_bytes: freeMemory_bytes() }
}

/** One part that fails or hangs leaves the others alone. */
async function safely(
  id: CheckId,
  part: () => Check[] | Promise<Check[]>,
  { clock, limits, config }: DoctorTools,
): Promise<Check[]> {
  const find = findings(id, id)
  const limit_ms = 2 * limits.answer_ms + limits.ledger_ms + limits.walk_ms * Math.max(1, config.folders.length)
  const late = () => [find.warning(`not looked at to the end: no answer in ${formatDuration(limit_ms)}`)]
  try {
    return await withinTime(clock, limit_ms, async () => part(), late)
  } catch (error) {
    const text = `it could not be looked at: ${messageOf(error)}`
    const hint = codeOf(error) === undefined ? 'this is a fault of Sluice itself: please report it' : undefined
    return [find.fault(text, hint)]
  }
}

/** Why there is none says the check `ledger`. */
function openLedgerOrNone(state_dir: string): LedgerView | undefined {
  try {
    return openLedgerView(state_dir)
  } catch {
    return undefined
  }
}

function inOrder(checks: readonly Check[]): Check[] {
  const order: string[] = Object.values(check_groups).flat()
  return [...checks].sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id))
}

function answerOf(examined: ExaminedConfig, checks: Check[], now_ms: number): DoctorAnswer {
  const count = (level: Check['level']) => checks.filter((check) => check.level === level).length
  return {
    version: doctor_version,
    at: isoTime(now_ms),
    config_file: examined.file ?? null,
    faults: count('fault'),
    warnings: count('warning'),
    checks,
  }
}
