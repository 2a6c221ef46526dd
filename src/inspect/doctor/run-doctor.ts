import { dirname } from 'node:path'
import { askingPaths } from '../../base/files/ask-paths.ts'
import type { Paths } from '../../base/files/paths.ts'
import { isLoopbackHost } from '../../base/net/loopback.ts'
import { codeOf, messageOf } from '../../base/run/errors.ts'
import { min_open_files } from '../../base/run/open-files.ts'
import { freeMemory_bytes } from '../../base/run/process.ts'
import { formatDuration } from '../../base/text/format.ts'
import { scrubText } from '../../base/text/scrub.ts'
import { type Clock, isoTime } from '../../base/time/time.ts'
import { readEnvironment } from '../../config/environment.ts'
import { openFilesNeeded } from '../../config/open-files.ts'
import { reportDirs, secretFiles } from '../../config/resolve/targets.ts'
import {
  type ExaminedConfig,
  examineConfig,
  type UsableConfig,
} from '../../config/resolve/usable.ts'
import { inotifyLimit } from '../../disk/watch/watch-trouble.ts'
import { type LedgerView, openLedgerView } from '../../ledger/views/view.ts'
import {
  type Check,
  type CheckId,
  check_groups,
  type DoctorLimits,
  type DoctorTools,
  findings,
  isWithin,
  usual_limits,
  withinTime,
} from './check.ts'
import { checkConfig, checkTimeZones } from './check-config.ts'
import { checkCommands, checkMail, checkWebhooks } from './check-deliveries.ts'
import { checkFolders, checkWatching } from './check-folders.ts'
import { checkBlobHost } from './check-hosts.ts'
import { checkLedger, checkRemovals } from './check-ledger.ts'
import { checkMd5, checkNode, checkOpenFiles, checkSqlite } from './check-machine.ts'
import { checkPage } from './check-page.ts'
import { checkSecretFiles, checkToken } from './check-secret-files.ts'
import { checkCa, checkService } from './check-service.ts'
import { checkSpace, checkStateDir, checkUser } from './check-state.ts'
import { checkUnit, type FoundUnit, findUnit } from './find-unit.ts'
import { inspectFolders } from './inspect-folders.ts'
import { checkUnitRights, userToTry } from './unit-rights.ts'

/** Version of the JSON answer. It grows when a field goes or changes its meaning. */
const doctor_version = 1

export type DoctorAnswer = Awaited<ReturnType<typeof runDoctor>>

interface DoctorOptions {
  file?: string | undefined
  env?: NodeJS.ProcessEnv
  clock: Clock
  limits?: Partial<DoctorLimits>
  /** Directory of installed units. */
  system_dir?: string
  /** What a local service on this machine reads with other programs. */
  describeScans?: () => Promise<string>
}

/**
 * Checks everything that Sluice depends on and changes nothing. Never throws: a check that cannot
 * run is a result, too. An invalid configuration is checked as far as it is valid, and every wait
 * has a limit.
 */
export async function runDoctor(options: DoctorOptions) {
  const { file, env, clock, describeScans } = options
  const limits = { ...usual_limits, ...options.limits }
  const { proxy, token_file, state_dir } = readEnvironment(env)
  const { examined, paths } = await askingPaths((paths) => {
    const examined = examineConfig({ file, env, paths })
    const { usable } = examined
    if (usable) {
      for (const place of placesOf(usable, token_file)) paths.look(place)
    }
    return { examined, paths }
  })
  const unresponsive = paths.silent()
  const checks = [
    ...checkConfig(examined, unresponsive),
    checkNode(process.versions.node),
    ...checkSqlite(),
    checkMd5(),
  ]
  const { usable: config } = examined
  checks.push(...checkOpenFiles(config ? openFilesNeeded(config, 'run') : min_open_files))
  checks.push(...(await scanChecks(config, describeScans)))
  if (config) {
    const unit =
      examined.file === undefined ? undefined : findUnit(examined.file, options.system_dir)
    if (unit && state_dir !== undefined) {
      const text = `SLUICE_STATE_DIR of this shell names it: ${unit.name} has no such variable, and may use another`
      checks.push(
        findings('state_dir', config.state_dir).warning(
          text,
          'env -u SLUICE_STATE_DIR sluice doctor',
        ),
      )
    }
    const isUnresponsive = (path: string) => isWithin(path, unresponsive)
    const ledger = isUnresponsive(config.state_dir) ? undefined : openLedgerOrNone(config.state_dir)
    const tools = { config, clock, limits, proxy, uid: process.getuid?.(), ledger, isUnresponsive }
    try {
      checks.push(...(await configuredChecks(tools, examined, unit, { env, paths })))
    } finally {
      ledger?.close()
    }
  }
  const order: string[] = Object.values(check_groups).flat()
  const count = (level: Check['level']) => checks.filter((check) => check.level === level).length
  return {
    version: doctor_version,
    at: isoTime(clock.now_ms()),
    config_file: examined.file === undefined ? null : scrubText(examined.file),
    faults: count('fault'),
    warnings: count('warning'),
    checks: checks.toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id)),
  }
}

/** Only a local service on this machine uses programs of this machine. */
async function scanChecks(
  config: UsableConfig | undefined,
  describeScans: (() => Promise<string>) | undefined,
): Promise<Check[]> {
  const base_url = config?.service?.base_url
  if (!describeScans || base_url === undefined || !isLoopbackHost(new URL(base_url).hostname))
    return []
  return [findings('scans', 'local service').ok(await describeScans())]
}

function placesOf(config: UsableConfig, token_file: string | undefined): string[] {
  const { service, folders, state_dir, page } = config
  const secret_files = secretFiles(config).map(({ file }) => file)
  const files = [
    service?.token_file,
    service?.ca_file,
    token_file,
    page.tls_cert,
    page.tls_key,
    ...secret_files,
  ]
  const directories = files.filter((file) => file !== undefined).map((file) => dirname(file))
  return [...folders.map(({ path }) => path), state_dir, ...reportDirs(config), ...directories]
}

async function configuredChecks(
  tools: DoctorTools,
  { file, fields }: ExaminedConfig,
  unit: FoundUnit | undefined,
  { env, paths }: { env: NodeJS.ProcessEnv | undefined; paths: Paths },
): Promise<Check[]> {
  const { config, clock, limits } = tools
  const { service } = config
  // Without a usable `service`, nothing is known of the file that it names.
  const is_named_wrongly = service === undefined || fields.includes('service.token_file')
  const token = await askingPaths(
    (asked) => checkToken(service ?? {}, unit?.token_file, { env, paths: asked, is_named_wrongly }),
    {},
    paths,
  )
  const ca = await askingPaths(
    (asked) => checkCa(service?.ca_file, clock.now_ms(), asked),
    {},
    paths,
  )
  const user = userToTry(tools.uid, unit)
  const token_file = unit?.token_file === undefined ? service?.token_file : undefined
  const { tls_cert, tls_key } = config.page
  const files = [file, service?.ca_file, token_file, tls_cert, tls_key].filter(
    (file) => file !== undefined,
  )
  const unresponsive = [...paths.silent()]
  const question = { config, limits, user: user ?? '', files, unresponsive }
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
    ['page', () => checkPage(tools)],
  ]
  const done = await Promise.all(parts.map(([id, part]) => safely(id, part, tools)))
  return [...token.checks, ...ca.checks, ...(rights?.checks ?? []), ...done.flat()]
}

/** Checks watching, and the folders unless a process of the unit's user (`rights`) already has. */
async function folderChecks(
  tools: DoctorTools,
  rights: { is_tried: boolean } | undefined,
): Promise<Check[]> {
  const inspected = await inspectFolders(tools)
  const limits = { watches: inotifyLimit('watches'), instances: inotifyLimit('instances') }
  return [
    ...(rights?.is_tried ? [] : checkFolders(inspected, tools.limits, rights && 'root')),
    ...checkWatching(
      inspected,
      { ...limits, free_memory_bytes: freeMemory_bytes() },
      tools.config.watching,
    ),
  ]
}

/** Runs one part, so that its failure or delay does not stop the others. */
async function safely(
  id: CheckId,
  part: () => Check[] | Promise<Check[]>,
  { clock, limits, config }: DoctorTools,
): Promise<Check[]> {
  const find = findings(id, id)
  const limit_ms =
    2 * limits.answer_ms + limits.ledger_ms + limits.walk_ms * Math.max(1, config.folders.length)
  const late = () => [
    find.warning(`not checked to the end: no answer in ${formatDuration(limit_ms)}`),
  ]
  try {
    return await withinTime(clock, limit_ms, async () => part(), late)
  } catch (error) {
    const text = `the check failed: ${messageOf(error)}`
    const hint =
      codeOf(error) === undefined ? 'this is a fault of Sluice itself: please report it' : undefined
    return [find.fault(text, hint)]
  }
}

/** Opens the ledger if possible; the check `ledger` reports the reason otherwise. */
function openLedgerOrNone(state_dir: string): LedgerView | undefined {
  try {
    return openLedgerView(state_dir)
  } catch {
    return undefined
  }
}
