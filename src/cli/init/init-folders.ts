import { counted, formatAmount, formatCount } from '../../base/text/format.ts'
import { type Clock, day_ms } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { readEnvironment } from '../../config/environment.ts'
import { configFromObject } from '../../config/load.ts'
import { expandPath } from '../../config/resolve/local-paths.ts'
import {
  isStartText,
  type OldVersions,
  type StartingConfig,
  type StartingFolder,
  type StartText,
  startingValue,
} from '../../config/starting-config.ts'
import { rootStatus } from '../../disk/root/root.ts'
import { typeRefusal, unreadSoFar } from '../../domain/file-type.ts'
import { estimateOf } from '../../inspect/plan/plan.ts'
import { sumOf } from '../../inspect/plan/plan-answer.ts'
import { type Survey, surveyFolder, usual_survey } from '../../inspect/plan/survey.ts'
import { typeKey, type UnreadTypes } from '../../inspect/plan/unread-types.ts'
import { LineWriter } from '../../status/text/lines.ts'
import { excludeSetting } from '../../status/text/text.ts'
import { withLedgerView } from '../../status/with-view.ts'
import { requireAnswer } from '../on-paths.ts'
import { printLines, sayIgnored } from '../text/print.ts'
import { showSpinner } from '../text/progress.ts'
import type { Terminal } from '../text/terminal.ts'
import { firstSyncLines } from '../text/upload-time-text.ts'
import { pathCompleter } from './complete-path.ts'
import { between, type Dialog, refuseStopped } from './init-dialog.ts'
import { faultOf, faultOfName, type NamedPath, nameFor, wholePath } from './init-flags.ts'

export interface FolderTools {
  dialog: Dialog | undefined
  terminal: Terminal
  clock: Clock
  /** The configuration so far: all but `folders` and `old_versions`. */
  config: Omit<StartingConfig, 'folders' | 'old_versions'>
  /** As the service's list says. */
  unread_types: UnreadTypes
  /** From --start, for every folder. Undefined: asked, or `all` if the program cannot ask. */
  start: StartText | undefined
  /** Aborts when the user stops waiting. */
  stopped: AbortSignal
}

/** Usual ages for an old share: the files of a month, of a year. */
const ages = [
  { text: '30d', ms: 30 * day_ms },
  { text: '365d', ms: 365 * day_ms },
]

/** A folder with the counts of what lies in it. */
type SurveyedFolder = StartingFolder & { survey: Survey }

const keep_hint = 'press Enter again to keep this path: it counts as offline until it can be read'
const max_types = 6
const max_rules = 8
const max_names = 3

/**
 * Asks for the folders, one by one, and shows what is in each. Folders on the command line replace
 * the question. Errors `config.invalid`, `path.no_answer`.
 */
export async function askFolders(
  given: readonly NamedPath[],
  tools: FolderTools,
): Promise<SurveyedFolder[]> {
  const { dialog } = tools
  const folders: SurveyedFolder[] = []
  for (const folder of given) {
    await requireAnswer(expandPath(folder.path, readEnvironment().home))
    checkFolders([...folders, { ...folder, start: 'all' }], tools)
    folders.push(await surveyAndAsk(folder, tools))
  }
  while (
    dialog &&
    (folders.length === 0 ||
      (given.length === 0 && (await dialog.confirm('Another folder?', false))))
  ) {
    folders.push(await surveyAndAsk(await askFolder(folders, tools), tools))
  }
  return folders
}

async function askFolder(
  others: readonly StartingFolder[],
  tools: FolderTools,
): Promise<NamedPath> {
  const dialog = tools.dialog!
  const taken = new Set(others.map(({ name }) => name))
  /** Reported as missing or unreadable: the same answer again keeps it. */
  let reported: string | undefined
  const faultOfPath = async (answer: string) => {
    if (answer === '') return 'type the path of a folder; Tab completes it'
    const path = wholePath(answer)
    const place = expandPath(path, readEnvironment().home)
    // No other folder has this name, so a fault is about the path.
    const folder = { name: 'a-new-folder', path, start: 'all' as const }
    const fault = await faultOf(async () => {
      await requireAnswer(place)
      checkFolders([...others, folder], tools)
    })
    if (fault !== undefined)
      return `${fault.split('\n')[0]!.replace(/^folders\[\d+\]\.path: /, '')}; type the path of another folder`
    const status = rootStatus(place)
    if (status.kind === 'online' || reported === path) return undefined
    reported = path
    return `${status.detail}; correct the path (Tab completes it), mount its disk, or allow this user to read it; ${keep_hint}`
  }
  const asked = { fault: faultOfPath, completer: pathCompleter({ with_files: false }) }
  const path = wholePath(await dialog.text('Folder to watch:', asked))
  const name = await dialog.text(
    'Its name in status and at the beginning of names on the service:',
    {
      usual: taken.has(nameFor(path)) ? undefined : nameFor(path),
      fault: (answer) => (taken.has(answer) ? 'another folder has this name' : faultOfName(answer)),
    },
  )
  return { name, path }
}

/** Checks folders by the rules of the config: none in another, no token inside one. */
function checkFolders(folders: readonly StartingFolder[], { config }: FolderTools): Config {
  return configFromObject(startingValue({ ...config, old_versions: 'keep', folders }))
}

async function surveyAndAsk(folder: NamedPath, tools: FolderTools): Promise<SurveyedFolder> {
  const { dialog } = tools
  const survey = await between(dialog, `survey of ${folder.path}`, () =>
    surveyAndSay(folder, tools),
  )
  const start = tools.start ?? (dialog ? await askStart(dialog, survey) : 'all')
  return { ...folder, start, survey }
}

async function surveyAndSay({ name, path }: NamedPath, tools: FolderTools): Promise<Survey> {
  const { terminal, clock, stopped } = tools
  const spinner = showSpinner(terminal, clock, () => `counting what lies in ${name}`)
  const config = checkFolders([{ name, path, start: 'all' }], tools)
  const unread_types = await knownTypes(config.state_dir, tools.unread_types)
  const options = { clock, unread_types, signal: stopped }
  const survey = await surveyFolder(config.folders[0]!, options).finally(() => spinner.end())
  refuseStopped(stopped)
  printLines(
    terminal,
    surveyLines({ name, path }, survey, { ...tools, unread_types }, errorsWidth(terminal)),
    'err',
  )
  return survey
}

/**
 * Adds the types that the ledger of an earlier configuration knows: of those that the service
 * refuses at once, its list has no asset. A ledger that cannot be read is no matter of `init`.
 */
async function knownTypes(state_dir: string, listed: UnreadTypes): Promise<UnreadTypes> {
  const recorded = withLedgerView(state_dir, (ledger) => ledger?.unread_types())
  return new Map([...listed, ...((await recorded.catch(() => undefined)) ?? [])])
}

function errorsWidth({ width }: Terminal): number {
  return Number.isFinite(width) ? width : 100
}

/** Says how much the first sync uploads, and how long that takes. */
export function sayFirstSync(
  folders: readonly SurveyedFolder[],
  tools: FolderTools,
): Promise<void> {
  const { dialog, terminal, clock } = tools
  return between(dialog, 'estimate of the first sync', async () => {
    const config = checkFolders(folders, tools)
    const amounts = config.folders.map(({ start }, at) => {
      const age_ms =
        start.kind === 'newer_than' ? start.age_ms : start.kind === 'from_now' ? 0 : undefined
      return folders[at]!.survey.newerThan(age_ms)
    })
    const estimate = estimateOf(sumOf(amounts), {
      config,
      ledger: undefined,
      now_ms: clock.now_ms(),
    })
    const is_minimum = folders.some(({ survey }) => !survey.complete)
    printLines(terminal, firstSyncLines(estimate, is_minimum, errorsWidth(terminal)), 'err')
  })
}

async function askStart(dialog: Dialog, survey: Survey): Promise<StartText> {
  const amount = (age_ms?: number) =>
    formatAmount(survey.newerThan(age_ms)) + (survey.stopped ? ' or more' : '')
  const young = ages.map(({ text, ms }) => ({
    value: text,
    name: `what changed in the last ${text}: ${amount(ms)}`,
  }))
  const chosen = await dialog.choose('How much of it is uploaded?', [
    { value: 'all', name: `all of it: ${amount()}` },
    ...young,
    { value: 'age', name: 'what changed in another span of time' },
    { value: 'from_now', name: 'nothing, only what comes or changes from now on' },
  ])
  if (chosen !== 'age') return chosen
  const fault = (answer: string) =>
    isStartText(answer)
      ? undefined
      : 'a span of time from 0s on, such as 90d, 12h or 4w (all and from_now work, too)'
  return dialog.text('Changed in the last:', { usual: '90d', fault })
}

/** Asks once for all folders. In the file, each folder can have another answer. */
export async function askOldVersions(
  dialog: Dialog | undefined,
  given: OldVersions | undefined,
): Promise<OldVersions> {
  if (given !== undefined || dialog === undefined) return given ?? 'keep'
  return dialog.choose('What should the old version of a file that changes do?', [
    { value: 'keep', name: 'stay in the project, and answer beside the new one' },
    { value: 'remove_old', name: 'leave the project, once the new one is ready there' },
  ])
}

function surveyLines(
  { name, path }: NamedPath,
  survey: Survey,
  { config, unread_types }: FolderTools,
  width: number,
) {
  const writer = new LineWriter(width)
  writer.say(`${name}  ${path}`, { tone: 'strong' })
  if (survey.offline !== null) {
    writer.detail(`${survey.offline}: it counts as offline until it is there`, 'warn')
    return writer.lines
  }
  const limit = counted(usual_survey.max_files, 'file')
  const min = {
    files: `more than ${limit}, stopped counting`,
    time: `at least ${formatAmount(survey.all)}`,
  }
  writer.detail(survey.stopped ? min[survey.stopped] : formatAmount(survey.all))
  const types = survey.types.slice(0, max_types).map(({ extension, files }) => {
    return `${formatCount(files)} ${extension === '' ? 'without extension' : `.${extension}`}`
  })
  const more = survey.types.length - max_types
  if (types.length > 0)
    writer.detail(types.join(', ') + (more > 0 ? ` and ${counted(more, 'more type')}` : ''))
  for (const { extension, files } of survey.types) {
    const known = unread_types.get(typeKey(config.project.project_id, `a.${extension}`))
    if (known === undefined || known === 'rests') continue
    const why = known === 'refused' ? typeRefusal(extension).message : unreadSoFar(extension)
    const exclude = excludeSetting([`a.${extension}`])
    const leave = exclude === undefined ? '' : `; to leave them out, add to the folder: ${exclude}`
    writer.detail(`${counted(files, 'file')}: ${why}${leave}`, 'warn')
  }
  if (survey.stopped) {
    const why = survey.stopped === 'time' ? 'it takes long, so counting was stopped: ' : ''
    writer.detail(`${why}\`sluice plan\` counts to the end, and says what is ignored`, 'faint')
  }
  sayIgnored(writer, survey.ignored, max_rules, '; `sluice plan` names them')
  if (survey.unreadable_total > 0) {
    const places = survey.unreadable.slice(0, max_names)
    const rest = survey.unreadable_total - places.length
    const more = rest > 0 ? ` and ${counted(rest, 'more place')}` : ''
    writer.detail(`cannot be read by this user: ${places.join(', ')}${more}`, 'warn')
  }
  return writer.lines
}
