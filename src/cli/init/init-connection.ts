import { existsSync } from 'node:fs'
import { SluiceError } from '../../base/run/errors.ts'
import { programVersion } from '../../base/run/process.ts'
import { printable } from '../../base/text/format.ts'
import type { Clock } from '../../base/time/time.ts'
import { readCa } from '../../config/ca-file.ts'
import { readEnvironment } from '../../config/environment.ts'
import { expandPath } from '../../config/resolve/local-paths.ts'
import { project_id as project_schema } from '../../config/schema/schema-folder.ts'
import { openSecrets, type Secrets, secretsOf } from '../../config/secrets.ts'
import type { StartingConfig } from '../../config/starting-config.ts'
import { typesUnreadBy, type UnreadTypes } from '../../inspect/plan/unread-types.ts'
import { readingOf } from '../../prompts/plan/reading-of.ts'
import type { ProjectReference } from '../../remote/assets.ts'
import { type Failure, failureText, reader_text, roleHint } from '../../remote/outcome.ts'
import { createRemote, type Remote } from '../../remote/remote.ts'
import { requireAnswer } from '../on-paths.ts'
import { printTitled, printWarning } from '../text/print.ts'
import type { Terminal } from '../text/terminal.ts'
import { pathCompleter } from './complete-path.ts'
import { between, type Dialog, refuseStopped } from './init-dialog.ts'
import { addressFault, faultOf, faultOfField, type InitFlags, unquoted } from './init-flags.ts'
import { addressTrouble } from './try-address.ts'

/** The service, the token and the project that get the files. */
export interface Connection {
  base_url: string
  token: {
    file: string /** Typed just now, to be written there: a secret. */
    typed: string | undefined
  }
  ca_file: string | undefined
  project: StartingConfig['project']
  unread_types: UnreadTypes
  /** True if the service reads every file and says so. */
  reads_every_file: boolean
}

export interface ConnectionTools {
  flags: InitFlags
  /** Undefined if the program cannot ask (no terminal). */
  dialog: Dialog | undefined
  terminal: Terminal
  clock: Clock
  /** The file for a token that the user types. */
  new_token_file: string
  /** Aborts when the user stops waiting. */
  stopped: AbortSignal
}

/**
 * Asks for all that the flags do not say, and reads the list of projects from the service. Errors:
 * `account.*`, `usage.project`.
 */
export async function askConnection(tools: ConnectionTools): Promise<Connection> {
  const { flags, dialog } = tools
  let base_url = flags['base-url']
  let token =
    flags['token-file'] === undefined ? undefined : await tokenFromFile(flags['token-file'], tools)
  let ca_file = flags['ca-file'] === undefined ? undefined : fromHome(flags['ca-file'])
  for (;;) {
    base_url ??= await askAddress(ca_file, tools)
    token ??= await askToken(tools)
    const { file, typed, secrets } = token
    const reached = { base_url, ca_file, secrets }
    const listed = await askService('the projects', reached, tools, (remote) =>
      remote.listProjects(),
    )
    const connection = { base_url, ca_file, token: { file, typed } }
    const project = listed.ok ? await chooseProject(listed.value, tools) : undefined
    if (project) {
      if (project.role === 'reader')
        printWarning(tools.terminal, `${reader_text}; ${roleHint(project.project_id)}`)
      const { project_id } = project
      const asked = await askService('what it reads', reached, tools, async (remote) => {
        const reading = await readingOf({ project_id, read: undefined }, { remote })
        const unread_types = await typesUnreadBy(remote, [project_id])
        return { unread_types, reads_every_file: reading.ok && reading.value === 'every_file' }
      })
      return { ...connection, project, ...asked }
    }
    const way = listed.ok
      ? await askWay(reachText([]), tools)
      : await afterFailure(listed.failure, tools)
    if (way === 'go on') {
      const project_id = givenId(flags) ?? (await askProjectId(dialog!))
      const unknown = { unread_types: new Map(), reads_every_file: false }
      return { ...connection, project: { project_id }, ...unknown }
    }
    if (way === 'address') base_url = undefined
    if (way === 'token') token = undefined
    if (way === 'authority') ca_file = await askCaFile(dialog!)
  }
}

const completer = pathCompleter({ with_files: true })

/** Tries an address that the user types once. The same answer again keeps it. */
function askAddress(ca_file: string | undefined, { dialog, clock }: ConnectionTools) {
  let tried: string | undefined
  const fault = async (answer: string) => {
    const wrong = addressFault(answer)
    if (wrong !== undefined || answer === tried) return wrong
    tried = answer
    const ca = ca_file === undefined ? undefined : await openCa(ca_file)
    const trouble = await addressTrouble(answer, { ca, proxy: readEnvironment().proxy, clock })
    return trouble && `${trouble}; correct the address, or press Enter again to keep it unchecked`
  }
  return dialog!.text('Address of the assistant’s service:', { fault })
}

type FoundToken = Connection['token'] & { secrets: Secrets }

async function askToken(tools: ConnectionTools): Promise<FoundToken> {
  const { dialog, new_token_file } = tools
  const how = await dialog!.choose('The token:', [
    {
      value: 'type',
      name: 'type or paste it now',
      description: `it is not shown, and kept in ${new_token_file}`,
    },
    { value: 'file', name: 'a file holds it already' },
  ])
  if (how === 'type') {
    const typed = await dialog!.secret('Token:', (answer) => faultOf(() => secretsOf(answer)))
    return { secrets: secretsOf(typed), file: new_token_file, typed }
  }
  const fault = (answer: string) => faultOf(() => openToken(answer))
  const file = await dialog!.text('File that holds the token:', { fault, completer })
  return tokenFromFile(file, tools)
}

async function askCaFile(dialog: Dialog): Promise<string> {
  const fault = (answer: string) => faultOf(() => openCa(fromHome(answer)))
  return fromHome(
    await dialog.text('File with the certificate of the authority (PEM):', { fault, completer }),
  )
}

function tokenFromFile(text: string, { dialog, terminal }: ConnectionTools): Promise<FoundToken> {
  return between(dialog, `the token in ${text}`, async () => {
    const { secrets, warnings, file } = await openToken(text)
    for (const warning of warnings) printWarning(terminal, warning)
    return { secrets, file, typed: undefined }
  })
}

/** Opens the token in this file. Environment variables that usually have precedence are ignored. */
async function openToken(path: string) {
  const file = fromHome(path)
  await requireAnswer(file)
  const service = { base_url: '', project_id: '', token_file: file }
  return { ...openSecrets({ service }, {}), file }
}

async function openCa(file: string): Promise<string> {
  await requireAnswer(file)
  return readCa(file)
}

function fromHome(path: string): string {
  return expandPath(unquoted(path), readEnvironment().home)
}

/** Asks the service by a connection of its own. Errors `config.ca_file`, `stopped.init`. */
function askService<Answer>(
  label: string,
  {
    base_url,
    ca_file,
    secrets,
  }: { base_url: string; ca_file: string | undefined; secrets: Secrets },
  { clock, dialog, stopped }: ConnectionTools,
  ask: (remote: Remote) => Promise<Answer>,
): Promise<Answer> {
  return between(dialog, label, async () => {
    const remote = createRemote({
      base_url,
      token: () => secrets.token(),
      connections: 1,
      ca: ca_file === undefined ? undefined : await openCa(ca_file),
      proxy: readEnvironment().proxy,
      user_agent: `sluice/${programVersion()}`,
      clock,
    })
    // The call in flight ends with its connection.
    const cut = () => void remote.close()
    stopped.addEventListener('abort', cut)
    try {
      const answer = await ask(remote)
      refuseStopped(stopped)
      return answer
    } finally {
      stopped.removeEventListener('abort', cut)
      await remote.close()
    }
  })
}

/** The id from --project; undefined for a name, whose project only the service knows. */
function givenId({ project }: InitFlags): string | undefined {
  return project_schema.safeParse(project).success ? project : undefined
}

/**
 * Decides what to do if the projects cannot be read. Errors `account.refused` and `usage.project`
 * if the program does not ask.
 */
async function afterFailure(failure: Failure, tools: ConnectionTools): Promise<Way> {
  const { dialog, terminal, flags } = tools
  const is_untrusted = failure.code === 'network.tls'
  const message = `the projects cannot be read: ${failureText(failure)}`
  const of_authority = is_untrusted
    ? '--ca-file FILE names the certificate of a company’s own authority; '
    : ''
  if (!dialog) {
    if (failure.about === 'account')
      throw new SluiceError({ code: 'account.refused', message, hint: 'check the token' })
    if (givenId(flags) === undefined) {
      throw new SluiceError({
        code: 'usage.project',
        message: `${message}; only the service knows the project ${flags.project ?? '(--project is missing)'}`,
        hint: `${of_authority}give --project an id (project_…), which is written unchecked, or try again when the service answers`,
      })
    }
    printWarning(terminal, `${message}; ${of_authority}${flags.project} is written unchecked`)
    return 'go on'
  }
  const first = is_untrusted ? 'authority' : failure.about === 'account' ? 'token' : 'again'
  return askWay(message, tools, first)
}

const ways = {
  authority: 'trust an authority of the company too, whose certificate is in a file',
  again: 'try again',
  token: 'another token',
  address: 'another address',
  'go on': 'go on, I know the id of the project',
}
type Way = keyof typeof ways

/** `first`: the way that helps most; a new authority is a way only there. */
async function askWay(
  message: string,
  { dialog, terminal }: ConnectionTools,
  first: Way = 'again',
): Promise<Way> {
  await between(dialog, message, async () =>
    printTitled(terminal, '!', terminal.err_styles.red, message),
  )
  const others = (['again', 'token', 'address', 'go on'] as const).filter((way) => way !== first)
  const choices = [first, ...others].map((value) => ({ value, name: ways[value] }))
  return dialog!.choose<Way>('What now?', choices)
}

/**
 * Finds the project that --project names by id or name, or asks. Undefined if there is none to ask
 * about. Error `usage.project`.
 */
async function chooseProject(
  listed: readonly ProjectReference[],
  { flags, dialog }: ConnectionTools,
): Promise<ProjectReference | undefined> {
  const wanted = flags.project
  if (wanted !== undefined || !dialog) {
    // Without an answer, the only project is the default.
    const found =
      wanted === undefined && listed.length === 1
        ? listed
        : listed.filter(({ project_id, name }) => project_id === wanted || name === wanted)
    if (found.length === 1) return found[0]!
    const lacking =
      wanted === undefined ? 'init does not ask here, and --project is missing' : undefined
    const unknown = lacking ?? `the token reaches no project ${wanted}`
    throw new SluiceError({
      code: 'usage.project',
      message:
        found.length === 0
          ? unknown
          : `${found.length} projects are called ${wanted}: name one by its id`,
      hint: reachText(listed),
    })
  }
  if (listed.length === 0) return undefined
  const first = [...listed].sort((a, b) => Number(b.is_default) - Number(a.is_default))
  return dialog.choose(
    'Project that the files go to:',
    first.map((project) => ({ value: project, name: projectText(project) })),
  )
}

/** More than these would hide the rest of the message. */
const max_projects_named = 5

function reachText(listed: readonly ProjectReference[]): string {
  if (listed.length === 0) {
    return 'the token reaches no project: ask the administrator to make you a member of one (on a local service: `sluice serve member add YOUR-EMAIL --project PROJECT --role collaborator`)'
  }
  const more =
    listed.length > max_projects_named ? ` and ${listed.length - max_projects_named} more` : ''
  return `the token reaches ${listed.slice(0, max_projects_named).map(projectText).join(', ')}${more}`
}

function projectText({ name, project_id }: ProjectReference): string {
  return `${printable(name)} (${project_id})`
}

function askProjectId(dialog: Dialog): Promise<string> {
  const fault = (answer: string) => faultOfField(project_schema, answer)
  return dialog.text('Id of the project:', { fault })
}

/** A free name beside the configuration: a token that exists is never overwritten. */
export function freeTokenFile(beside: string): string {
  for (let number = 1; ; number++) {
    const file = number === 1 ? beside : `${beside}-${number}`
    if (!existsSync(file)) return file
  }
}
