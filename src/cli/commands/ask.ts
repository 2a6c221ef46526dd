import type { Paths } from '../../base/files/paths.ts'
import { messageOf, SluiceError } from '../../base/run/errors.ts'
import { shellWord } from '../../base/text/format.ts'
import { aborted, second_ms, system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import type { Place } from '../../inspect/files/place.ts'
import { type AskAnswer, ask, isAboutNothing } from '../../prompts/ask/ask.ts'
import type { Turn } from '../../prompts/ask/ask-question.ts'
import { filesInScope, narrowingOf, scopeText } from '../../prompts/ask/ask-scope.ts'
import { openRemote } from '../../remote/open-remote.ts'
import type { Remote } from '../../remote/remote.ts'
import { deletedFiles, withArrivalsView } from '../../status/with-view.ts'
import { checkedFields, flagValue, refuseContradiction, spanFlag } from '../ask/ask-flags.ts'
import { lastChat, rememberChat } from '../ask/last-chats.ts'
import { defineCommand, flag, text, texts, words } from '../command.ts'
import { openToken } from '../daemon/open.ts'
import { listenForStop } from '../daemon/stop-signals.ts'
import { type ExitCode, exit_codes } from '../exit-codes.ts'
import { loadFor } from '../on-paths.ts'
import { wholeFolder } from '../place.ts'
import { printMarkdown, sourceLines } from '../text/answer-text.ts'
import { printJson, printLines, printNote, printWarning } from '../text/print.ts'
import { showSpinner } from '../text/progress.ts'
import type { Terminal } from '../text/terminal.ts'

/** Shorter than `asking.first_ms`: a user waits at the screen, but not for a report. */
const polling = { first_ms: 200, max_ms: 3 * second_ms }

/** As `scope.fresh` of a prompt. */
const fresh_field = spanFlag('1m', '3650d', '24h, 90m or 7d')

const intelligences = ['auto', 'fast', 'expert', 'research'] as const

export const command = defineCommand({
  options: (yargs) =>
    yargs
      .positional('question', { ...words('what to ask'), demandOption: true })
      .option('folder', texts('over the ready files of this folder'))
      .option(
        'path',
        texts('over files that match this pattern (as in .gitignore, relative to a folder)'),
      )
      .option('fresh', text('over what arrived in the last such time: 24h, 7d'))
      .option('label', texts('over what has this label, beside the files'))
      .option('chat', texts('over what was said in this chat, by its id'))
      .option('concept', texts('over this concept, by its id'))
      .option('view', texts('over what this view shows, by its id'))
      .option(
        'project',
        texts(
          'over everything in this project, by its id; the project of the folders is still the one that is asked',
        ),
      )
      .option('intelligence', {
        choices: intelligences,
        default: 'auto' as (typeof intelligences)[number],
        describe: 'how to answer',
      })
      .option('provider', text('the preferred provider of models, by its name on the service'))
      .option('skill', texts('load this skill, by its name; several in this order'))
      .option(
        'every-file',
        flag(
          'let the service read each file whole, in several calls of its model; else it searches them',
        ),
      )
      .option('no-public-data', flag('no web search for this question; else the service decides'))
      .option('follow-up', flag('go on in the chat of the last ask'))
      .option('json', flag('one JSON object')),
  async run(options, terminal): Promise<ExitCode> {
    const { config, folders } = await loadFor(
      terminal,
      { file: options.config },
      ({ config }, paths) => ({ folders: foldersOf(options, config, paths) }),
    )
    const asking = await prepare({ ...options, folder: folders }, config)
    if (isAboutNothing(asking)) {
      printNote(
        terminal,
        'no ready file matches: nothing was asked (`sluice ls` and `sluice status` show what there is)',
      )
      return exit_codes.incomplete
    }
    const secrets = await openToken(config, terminal)
    const remote = await openRemote(config, () => secrets.token(), system_clock)
    try {
      return await askAndShow(asking, remote, terminal)
    } finally {
      await remote.close()
    }
  },
})

type Options = Parameters<typeof command.run>[0]

/** Names of the folders of --folder. */
function foldersOf({ folder }: Options, { folders }: Config, paths: Paths): string[] | undefined {
  return folder?.map((text) => {
    const hintFor = (place: Place) =>
      `--folder ${place.folder} --path ${shellWord(`/${place.path}`)}`
    return wholeFolder(text, folders, process.cwd(), hintFor, paths)
  })
}

type Asking = Awaited<ReturnType<typeof prepare>>

/** Checks the options. `found`: the files in scope; undefined if no option is about files. */
async function prepare(options: Options, config: Config) {
  const { folder, path, fresh, label, chat, concept, view, project } = options
  if (options.question.join(' ').trim() === '') {
    throw new SluiceError({
      code: 'usage.invalid',
      message: 'there is no question to ask',
      hint: 'sluice ask "…"',
    })
  }
  const written = {
    paths: path,
    labels: label,
    chats: chat,
    concepts: concept,
    views: view,
    projects: project,
  }
  const { provider, skills, paths, ...others } = checkedFields({
    ...written,
    provider: options.provider,
    skills: options.skill,
  })
  const within_ms = fresh === undefined ? undefined : flagValue('fresh', fresh_field, fresh)
  const narrowing = narrowingOf({ folders: folder, paths, within_ms, others }, config)
  refuseContradiction(narrowing)
  const chat_id = options['follow-up']
    ? lastChat(config.state_dir, narrowing.project_id)
    : undefined
  if (options['follow-up'] && chat_id === undefined) {
    throw new SluiceError({
      code: 'usage.follow_up',
      message: `nothing was asked of the project ${narrowing.project_id} before, so there is no chat to go on in`,
      hint: 'ask without --follow-up first',
    })
  }
  const now_ms = system_clock.now_ms()
  const found = narrowing.about_files
    ? await withArrivalsView(config.state_dir, (view) => filesInScope(narrowing, view, now_ms))
    : undefined
  const public_data = options['no-public-data'] ? false : undefined
  const read = options['every-file'] ? ('every_file' as const) : ('search' as const)
  const fields = { intelligence: options.intelligence, provider, skills, public_data, read }
  return { options, text: options.question.join(' '), config, narrowing, fields, found, chat_id }
}

async function askAndShow(asking: Asking, remote: Remote, terminal: Terminal): Promise<ExitCode> {
  const { narrowing, found, options } = asking
  const projects = asking.config.folders.map(({ project_id }) => project_id)
  const about = scopeText(narrowing, found, projects)
  if (!options.json) terminal.err(terminal.err_styles.dim(`asking about ${about}`))
  const signals = listenForStop()
  void aborted(signals.first).then(() => remote.close())
  let doing = 'asking'
  const spinner = showSpinner(terminal, system_clock, () => doing)
  try {
    const deadline_ms = asking.config.asking.deadline_ms[options.intelligence]
    const deleted = () => deletedFiles(asking.config.state_dir)
    const tools = { remote, clock: system_clock, stopped: signals.first, deleted }
    for await (const step of ask(asking, tools, { ...polling, deadline_ms })) {
      if (step.state === 'asked') {
        remember(asking, step.turn, terminal)
        doing = 'waiting for the answer'
        continue
      }
      await spinner.end()
      show(asking, step.answer, about, terminal)
    }
    return exit_codes.ok
  } finally {
    await spinner.end()
    signals.end()
  }
}

/** A failure here must not keep the answer from the user. */
function remember({ config, narrowing }: Asking, { chat_id }: Turn, terminal: Terminal): void {
  try {
    rememberChat(config.state_dir, narrowing.project_id, chat_id)
  } catch (error) {
    printWarning(terminal, `--follow-up will not find the chat ${chat_id}: ${messageOf(error)}`)
  }
}

function show(
  { options }: Asking,
  { answer, note, sources, ...rest }: AskAnswer,
  about: string,
  terminal: Terminal,
): void {
  if (options.json) printJson(terminal, { ...rest, answer, note, sources })
  else {
    printMarkdown(terminal, answer)
    terminal.out('')
    if (note !== null) printNote(terminal, note)
    printLines(
      terminal,
      sourceLines(sources, terminal.is_interactive ? undefined : about, terminal.width),
    )
  }
}
