import { posix } from 'node:path'
import { findCircles } from './circles.ts'
import { type ImportFact, readSource, type SourceFacts } from './read-source.ts'

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
 * The directories of a module, from the lowest floor to the highest; those in one string do not
 * import each other. Files in the module's own directory are free: public files import the
 * directories, shared definitions are imported by them.
 */
const inner_floors: Record<string, readonly string[]> = {
  base: ['time', 'run', 'text', 'files net'],
  config: ['schema', 'resolve'],
  contract: ['messages', 'routes'],
  disk: ['root', 'scan', 'read watch'],
  ledger: ['file', 'rows', 'record', 'claims', 'views'],
  service: ['faults', 'store tls', 'ingest', 'reading assistant', 'blobs', 'api'],
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
  chardet: /^service\/ingest\/charset\.ts$/,
  chokidar: /^disk\/watch\//,
  croner: /^base\/time\/cron\.ts$/,
  diff: /^prompts\/show\/compare-runs\.ts$/,
  fastify: /^(base\/net\/http-server|page\/page-app)/,
  '@fastify/cookie': /^page\/page-app\.ts$/,
  '@fastify/csrf-protection': /^page\/page-app\.ts$/,
  '@fastify/formbody': /^page\/page-app\.ts$/,
  '@fastify/session': /^page\/(page-app|access\/sessions)\.ts$/,
  '@modelcontextprotocol/sdk': /^(page\/mcp\/mcp-server|cli\/commands\/mcp)\.ts$/,
  'htmx.org': /^page\/assets\.ts$/,
  ignore: /^base\/text\/ignore-patterns/,
  // Pinned for fastify: newer versions need Node 22, and an override of ours does not hold where
  // npm installs the packed program.
  'light-my-request': /^$/,
  'markdown-it': /^deliver\/markdown/,
  'mime-types': /^(disk|domain|sync)\/mime/,
  'node-cron': /^base\/time\/cron\.ts$/,
  nodemailer: /^base\/net\/mail\.ts$/,
  'p-queue': /^sync\//,
  pino: /^base\/text\/log\.ts$/,
  'prom-client': /^status\/metrics/,
  htmlparser2: /^service\/ingest\/read-text\.ts$/,
  sax: /^service\/ingest\/extract-xml\.ts$/,
  undici: /^base\/net\/http-client/,
  unpdf: /^service\/ingest\/extract-document\.ts$/,
  yaml: /^(config\/|service\/api\/openapi\.ts$)/,
  yargs: /^cli\//,
  yauzl: /^service\/ingest\/extract-archive\.ts$/,
  zod: /^(contract|config|service|page\/mcp)\//,
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
  for (const use of new Set(facts.uses)) {
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
  const floors = from === to ? inner_floors[from] : undefined
  const [own, others] = [path, target].map((file) => file.split('/').at(-2)!)
  if (!floors || own === others || own === from || others === from) return
  const floorOf = (directory: string) =>
    floors.findIndex((floor) => floor.split(' ').includes(directory))
  if (floorOf(others!) < 0 || floorOf(others!) >= floorOf(own!))
    say(`${own}/ may not import ${others}/ (${target})`)
}

function checkPackage(path: string, specifier: string, say: (breach: string) => void): void {
  if (specifier.startsWith('node:')) return
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
  const door = doors[name]
  if (!door) say(`imports ${name}, which has no door: give it one in test/house/rules.ts`)
  else if (!door.test(path)) say(`imports ${name}, whose door is ${door.source}`)
}
