import { posix } from 'node:path'
import { findCircles } from './circles.ts'
import { type ImportFact, readSource, type SourceFacts, sync_fs_use } from './read-source.ts'

/**
 * Each module, and the modules it may import besides itself. These are the floors of
 * docs/architecture.md: arrows go down only.
 */
const floors_1_to_5 = {
  base: [],
  domain: ['base'],
  contract: ['base'],
  config: ['base'],
  deliver: ['base'],
  ledger: ['domain', 'base'],
  disk: ['domain', 'base'],
  remote: ['domain', 'contract', 'config', 'base'],
  // The service could get a repository of its own: it shares only contract and base with the
  // client.
  service: ['contract', 'base'],
  sync: ['domain', 'ledger', 'disk', 'remote', 'base'],
  prompts: ['domain', 'ledger', 'remote', 'deliver', 'disk', 'base'],
  control: ['domain', 'ledger', 'base'],
  status: ['domain', 'ledger', 'control', 'base'],
  inspect: ['domain', 'ledger', 'disk', 'remote', 'config', 'base'],
  page: [
    'deliver',
    'status',
    'inspect',
    'prompts',
    'control',
    'ledger',
    'remote',
    'config',
    'domain',
    'base',
  ],
}
const below_daemon = Object.keys(floors_1_to_5).filter((module) => module !== 'service')

const may_import: Record<string, readonly string[]> = {
  ...floors_1_to_5,
  daemon: below_daemon,
  cli: [...below_daemon, 'service', 'daemon'],
}

/**
 * The directories in a module or in a directory of it, from the lowest floor to the highest; those
 * in one string do not import each other. Files that lie beside the directories are free: public
 * files import the directories, shared definitions are imported by them.
 */
const inner_floors: Record<string, readonly string[]> = {
  base: ['time', 'run', 'text', 'files net'],
  config: ['schema', 'resolve'],
  contract: ['messages', 'routes'],
  disk: ['root', 'scan', 'read watch'],
  ledger: ['file', 'rows', 'record', 'claims', 'views'],
  service: [
    'faults',
    'store tls',
    'ingest quotations',
    'reading assistant',
    'blobs recognise',
    'api',
  ],
  'service/ingest': ['text', 'package pdf rtf', 'mail', 'compound'],
  'service/ingest/package': ['open-document slides word workbook'],
  sync: ['intake follow', 'folder upload audit'],
  prompts: ['plan', 'report', 'ask', 'show'],
  status: ['health', 'text'],
  inspect: ['plan unit files', 'verify explain', 'doctor'],
  daemon: ['health reload'],
  page: ['access', 'html reads', 'mcp screens'],
  cli: ['text', 'daemon', 'ask init install', 'demo', 'commands'],
}

/** One door per package: only these files may import it. */
export const doors: Record<string, RegExp> = {
  '@fastify/cors': /^base\/net\/http-server/,
  '@inquirer/prompts': /^cli\/(init\/|commands\/page\.ts$)/,
  asn1js: /^service\/tls\/certificate-der\.ts$/,
  'better-sqlite3': /^base\/files\/sqlite/,
  'better-sqlite3-napi': /^base\/files\/sqlite-driver\.ts$/,
  chokidar: /^disk\/watch\//,
  croner: /^base\/time\/cron\.ts$/,
  diff: /^prompts\/show\/compare-runs\.ts$/,
  fastify: /^(base\/net\/http-server|page\/page-app)/,
  '@kenjiuno/decompressrtf': /^service\/ingest\/compound\/outlook\.ts$/,
  '@kenjiuno/msgreader': /^service\/ingest\/compound\/outlook\.ts$/,
  '@zone-eu/mailsplit': /^service\/ingest\/mail\/mail-parts\.ts$/,
  libmime: /^service\/ingest\/mail\/mail-parts\.ts$/,
  '@fastify/cookie': /^page\/page-app\.ts$/,
  '@fastify/csrf-protection': /^page\/page-app\.ts$/,
  '@fastify/formbody': /^page\/page-app\.ts$/,
  '@fastify/session': /^page\/(page-app|access\/sessions)\.ts$/,
  '@modelcontextprotocol/server': /^(page\/mcp\/mcp-server|cli\/commands\/mcp)\.ts$/,
  'htmx.org': /^page\/assets\.ts$/,
  ignore: /^base\/text\/ignore-patterns/,
  // Pinned for fastify: newer versions need Node 22, and an override of ours does not hold where
  // npm installs the packed program.
  'light-my-request': /^$/,
  'markdown-it': /^deliver\/markdown/,
  'mime-types': /^(disk|domain|sync)\/mime/,
  'node-cron': /^base\/time\/cron\.ts$/,
  nodemailer: /^base\/net\/mail\.ts$/,
  numfmt: /^service\/ingest\/package\/workbook\/number-text\.ts$/,
  'p-queue': /^sync\//,
  pino: /^base\/text\/log\.ts$/,
  'prom-client': /^status\/metrics/,
  htmlparser2: /^service\/ingest\/text\/html\.ts$/,
  sax: /^service\/ingest\/package\/xml\.ts$/,
  undici: /^base\/net\/http-client/,
  unpdf: /^service\/ingest\/pdf\//,
  yaml: /^(config\/|service\/api\/openapi\.ts$)/,
  yargs: /^cli\//,
  yauzl: /^service\/ingest\/package\/archive\.ts$/,
  zod: /^(contract|config|service|page\/mcp)\//,
}

const of_state =
  'the state directory, which is on a local disk; each command asks first whether it answers'
const of_service = 'the data of the local service, which is a program of its own'

/**
 * The only files with synchronous calls of node:fs, each with its reason. Such a call on an
 * unresponsive mount stops its whole thread, and the process cannot even end.
 */
const sync_fs: Readonly<Record<string, string>> = {
  'base/files/atomic-file.ts':
    'writes files of the state; a report is written apart (call-apart.ts)',
  'base/files/lock.ts': of_state,
  'base/files/mount-table.ts': '/proc, which is no disk',
  'base/files/paths.ts': 'asks for paths of the user: where one may hang, only in path-thread.ts',
  'base/files/sqlite.ts': of_state,
  'base/run/process.ts': 'package.json of the program, and /proc',
  'base/text/log.ts': 'standard error',
  'cli/ask/last-chats.ts': of_state,
  'cli/commands/demo.ts': 'a temporary directory of its own',
  'cli/commands/init.ts': 'the file that it writes; the user sits before it',
  'cli/commands/install.ts': 'system directories, as root',
  'cli/commands/page.ts': 'the password on standard input, or in a file named beside the command',
  'cli/commands/uninstall.ts': 'system directories, as root',
  'cli/daemon/log-file.ts':
    'the log file: its directory is asked for first, and a thread writes where it may hang',
  'cli/demo/demo-setup.ts': 'a temporary directory of its own',
  'cli/init/init-connection.ts': 'files named in the dialog; the user sits before it',
  'cli/install/lay-down.ts': 'system directories, as root',
  'cli/install/layout.ts': 'system directories, as root',
  'cli/relay.ts': '/proc, which is no disk, and its own streams',
  'config/environment.ts': 'standard error',
  'control/control-client.ts': of_state,
  'control/control-server.ts': of_state,
  'daemon/reload/rebuild.ts': of_state,
  'deliver/file.ts': 'where its directory may hang, only in file-process.ts',
  'disk/read/examine-thread.ts': 'in the hashing threads',
  'disk/root/filesystems.ts':
    'in the threads of the root asker, and in commands for a root that answers',
  'disk/root/inside.ts': 'in the threads of walks and hashing',
  'disk/root/root.ts': 'in the threads of the root asker, and in commands for a root that answers',
  'disk/scan/directory-names.ts':
    'in the threads of a walk, and in explain for a path that answers',
  'disk/scan/ignore-file.ts': 'in the threads of a walk, and in intake for a root that answers',
  'disk/scan/measure.ts': 'in the threads of a walk',
  'disk/scan/read-file.ts': 'in the threads of walks and hashing',
  'disk/scan/walk.ts': 'in the threads of a walk',
  'disk/watch/watch-trouble.ts': '/proc, which is no disk',
  'disk/watch/watched-tree.ts': 'a root that answers: the watcher starts after its check',
  'inspect/doctor/check-config.ts': 'the file of the configuration, which was read before',
  'inspect/doctor/check-deliveries.ts': 'doctor, for paths that answer',
  'inspect/doctor/check-ledger.ts': 'doctor, for paths that answer',
  'inspect/doctor/check-state.ts': 'doctor, for paths that answer',
  'inspect/doctor/find-unit.ts': 'system directories',
  'inspect/doctor/unit-rights-child.ts': 'standard input',
  'inspect/plan/check-path.ts': 'explain and doctor, for paths that answer',
  'inspect/unit/unit-facts.ts': 'doctor and install, for paths that answer',
  'ledger/backup.ts': of_state,
  'ledger/file/ledger-place.ts': of_state,
  'ledger/file/state-directory.ts': of_state,
  'ledger/open-ledger.ts': of_state,
  'page/assets.ts': 'files of the program',
  'page/open-page.ts': 'in the thread of the page',
  'prompts/report/report-file.ts': 'where its directory may hang, only in report-process.ts',
  'service/assistant/assistant-config.ts': of_service,
  'service/reading/reader-thread.ts': of_service,
  'service/reading/reading-child.ts': of_service,
  'service/recognise/programs.ts': 'the directories of PATH, once at the start',
  'service/recognise/run-program.ts': '/proc, which is no disk',
  'service/reading/reading-process.ts': of_service,
  'service/service.ts': of_service,
  'service/store/administration.ts': of_service,
  'service/store/backup.ts': of_service,
  'service/store/commit-group.ts': of_service,
  'service/store/database.ts': of_service,
  'service/store/signing.ts': of_service,
  'service/store/stores.ts': of_service,
  'service/tls/make-certificates.ts': of_service,
  'service/tls/tls-files.ts': of_service,
  'status/daemon-status.ts': of_state,
  'status/health/health-facts.ts': of_state,
  'status/metrics.ts': '/proc, which is no disk',
  'sync/folder/missed-events.ts': 'a file of a root that answers, after a scan found it',
}

interface Guard {
  what: RegExp
  only_in: RegExp
  because: string
}

/** Globals that may be used in one place only. */
const guards: readonly Guard[] = [
  {
    what: /^process\.env$/,
    only_in: /^config\//,
    because: 'the environment is read in config/ only',
  },
  {
    what: /^(process\.(exit|exitCode|reallyExit|abort|argv)|signals)$/,
    only_in: /^cli\//,
    because: 'arguments, exit codes and signals belong to cli/',
  },
  {
    what: /^(Date\.now|Date\(\)|new Date\(\)|setTimeout|setInterval|performance\.(now|timeOrigin)|performance passed on|process\.hrtime|AbortSignal\.timeout)$/,
    only_in: /^base\/time\/time\.ts$/,
    because: 'time comes from a Clock, base/time/time is its only door',
  },
  {
    what: /^(fetch|WebSocket|EventSource)$/,
    only_in: /^base\/net\/http-client/,
    because: 'HTTP is spoken through base/net/http-client',
  },
  {
    what: /^new Worker$/,
    only_in: /^base\/run\/thread\.ts$/,
    because: 'threads are started by base/run/thread',
  },
  { what: /^process passed on$/, only_in: /^$/, because: 'name the part of process that is used' },
]

const forbidden_names = /^(utils?|helpers?|common|types?|misc|shared|lib|index)$/
const longest_file_lines = 400

/**
 * Checks a set of source files (path below src/ -> text) against these rules. Returns one line per
 * breach, so that an empty list means "in order".
 */
export function breachesOf(files: ReadonlyMap<string, string>): string[] {
  const breaches: string[] = []
  const graph = new Map<string, string[]>()
  for (const [path, text] of files) {
    const facts = readSource(path, text)
    const say = (breach: string) => breaches.push(`${path}: ${breach}`)
    checkName(path, say)
    checkText(text, facts, say)
    checkUses(path, facts, say)
    graph.set(path, checkImports(path, facts.imports, files, say))
  }
  for (const circle of findCircles(graph)) breaches.push(`circle: ${circle.join(' -> ')}`)
  return breaches
}

function checkName(path: string, say: (breach: string) => void): void {
  const parts = path.split('/')
  const name = parts.at(-1)!.replace(/\.ts$/, '')
  if (parts.length === 1) say('lies at the root of src/')
  else if (!(parts[0]! in may_import)) say(`there is no module ${parts[0]}/`)
  if (forbidden_names.test(name)) say(`a file called ${name} says nothing about what is in it`)
  for (const part of [...parts.slice(0, -1), name]) {
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(part)) say(`${part} is not kebab-case`)
  }
}

function checkText(text: string, facts: SourceFacts, say: (breach: string) => void): void {
  const lines = text.replace(/\n$/, '').split('\n').length
  if (lines > longest_file_lines) say(`has ${lines} lines, ${longest_file_lines} are the limit`)
  if (facts.has_default_export) say('has a default export')
  for (const reason of facts.unreadable) say(reason)
}

function checkUses(path: string, facts: SourceFacts, say: (breach: string) => void): void {
  if (path in sync_fs && !facts.uses.includes(sync_fs_use))
    say(`is listed for ${sync_fs_use}, and has none`)
  for (const use of new Set(facts.uses)) {
    if (use === sync_fs_use && !(path in sync_fs))
      say(`has ${use}: ask for a path by base/files/ask-paths, or list the file with a reason`)
    for (const { what, only_in, because } of guards) {
      if (what.test(use) && !only_in.test(path)) say(`uses ${use}: ${because}`)
    }
  }
}

/** Checks where the imports lead, and returns those within src for the graph. */
function checkImports(
  path: string,
  imports: readonly ImportFact[],
  files: ReadonlyMap<string, string>,
  say: (breach: string) => void,
): string[] {
  const ours: string[] = []
  for (const { specifier, kind } of imports) {
    if (kind !== 'thread' && !specifier.startsWith('.')) {
      checkPackage(path, specifier, say)
      continue
    }
    const target =
      kind === 'thread' ? `${specifier}.ts` : posix.join(posix.dirname(path), specifier)
    if (target.startsWith('..')) say(`imports ${specifier}, which lies outside src/`)
    else if (!files.has(target)) say(`imports ${specifier}, which is not there`)
    else {
      ours.push(target)
      checkModules(path, target, say)
    }
  }
  return ours
}

function checkModules(path: string, target: string, say: (breach: string) => void): void {
  const [from, to] = [path.split('/')[0]!, target.split('/')[0]!]
  if (from !== to && !may_import[from]?.includes(to))
    say(`${from}/ may not import ${to}/ (${target})`)
  checkInnerFloors(path, target, say)
}

function checkInnerFloors(path: string, target: string, say: (breach: string) => void): void {
  const [ways, others] = [path.split('/'), target.split('/')]
  const depth = ways.findIndex((part, at) => part !== others[at])
  const floors = inner_floors[ways.slice(0, depth).join('/')]
  const lies_beside = [ways, others].some(({ length }) => length === depth + 1)
  if (!floors || depth < 0 || lies_beside) return
  const [own, other] = [ways[depth]!, others[depth]!]
  const floorOf = (directory: string) =>
    floors.findIndex((floor) => floor.split(' ').includes(directory))
  if (floorOf(other) < 0 || floorOf(other) >= floorOf(own))
    say(`${own}/ may not import ${other}/ (${target})`)
}

function checkPackage(path: string, specifier: string, say: (breach: string) => void): void {
  if (specifier.startsWith('node:')) return
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
  const door = doors[name]
  if (!door) say(`imports ${name}, which has no door: give it one in test/house/rules.ts`)
  else if (!door.test(path)) say(`imports ${name}, whose door is ${door.source}`)
}
