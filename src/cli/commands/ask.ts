import { messageOf, SluiceError } from '../../base/run/errors.ts'
import { aborted, isoTime, second_ms, system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { openRemote } from '../../daemon/open-remote.ts'
import { checkScope } from '../../prompts/plan/check-assets.ts'
import { question } from '../../prompts/plan/question.ts'
import type { Question } from '../../remote/chats.ts'
import type { Remote } from '../../remote/remote.ts'
import {
  type AskTools,
  answerText,
  askOnce,
  awaitAnswer,
  failureOf,
  lastChat,
  rememberChat,
  sourceLines,
  sourcesOf,
  type Turn,
} from '../ask/ask-question.ts'
import {
  checkedFields,
  type FilesInScope,
  filesInScope,
  hasOthers,
  labelIds,
  type Narrowing,
  narrowingOf,
  scopeOf,
  scopeText,
} from '../ask/ask-scope.ts'
import { defineCommand, flag, text, texts, words } from '../command.ts'
import { openToken } from '../daemon/open.ts'
import { listenForStop } from '../daemon/stop-signals.ts'
import { type ExitCode, exit_codes } from '../exit-codes.ts'
import { printJson, printLines, printNote, printWarning } from '../text/print.ts'
import { showSpinner } from '../text/progress.ts'
import type { Terminal } from '../text/terminal.ts'

/** Shorter than `asking.first_ms`: a user waits at the screen, but not for a report. */
const polling = { first_ms: 200, max_ms: 3 * second_ms }

const intelligences = ['auto', 'fast', 'expert', 'research'] as const

export const command = defineCommand({
  options: (yargs) =>
    yargs
      .positional('question', { ...words('what to ask'), demandOption: true })
      .option('folder', texts('over the ready files of this folder'))
      .option('path', texts('over files that match this pattern (as in .gitignore, relative to a folder)'))
      .option('fresh', text('over what arrived in the last such time: 24h, 7d'))
      .option('label', texts('over what has this label, beside the files'))
      .option('chat', texts('over what was said in this chat, by its id'))
      .option('concept', texts('over this concept, by its id'))
      .option('view', texts('over what this view shows, by its id'))
      .option(
        'project',
        texts('over everything in this project, by its id; the project of the folders is still the one that is asked'),
      )
      .option('intelligence', {
        choices: intelligences,
        default: 'auto' as (typeof intelligences)[number],
        describe: 'how to answer',
      })
      .option('provider', text('the preferred provider of models, by its name on the service'))
      .option('skill', texts('load this skill, by its name; several in this order'))
      .option('no-public-data', flag('no web search for this question; else the service decides'))
      .option('follow-up', flag('go on in the chat of the last ask'))
      .option('json', flag('one JSON object')),
  async run(options, terminal): Promise<ExitCode> {
    const { config } = loadConfig({ file: options.config })
    const asking = await prepare(options, config)
    if (asking.found?.files.length === 0 && !hasOthers(asking.narrowing.others)) return nothingFound(terminal)
    const secrets = openToken(config, terminal)
    const remote = openRemote(config, () => secrets.token(), system_clock)
    try {
      return await askAndShow(asking, remote, terminal)
    } finally {
      await remote.close()
    }
  },
})

type Options = Parameters<typeof command.run>[0]

type Asking = Awaited<ReturnType<typeof prepare>>

/** Checks the options. `found`: the files in scope; undefined if no option is about files. */
async function prepare(options: Options, config: Config) {
  const { folder = [], path, fresh, label, chat, concept, view, project } = options
  if (options.question.join(' ').trim() === '') {
    throw new SluiceError({ code: 'usage.invalid', message: 'there is no question to ask', hint: 'sluice ask "…"' })
  }
  const written = { paths: path, labels: label, chats: chat, concepts: concept, views: view, projects: project }
  const { provider, skills, ...scope } = checkedFields({
    ...written,
    provider: options.provider,
    skills: options.skill,
  })
  const narrowing = narrowingOf({ folder, fresh, ...scope }, config, process.cwd())
  const chat_id = options['follow-up'] ? lastChat(config.state_dir, narrowing.project_id) : undefined
  if (options['follow-up'] && chat_id === undefined) {
    throw new SluiceError({
      code: 'usage.follow_up',
      message: `nothing was asked of the project ${narrowing.project_id} before, so there is no chat to go on in`,
      hint: 'ask without --follow-up first',
    })
  }
  const none: FilesInScope = { files: [], is_cut: false }
  const found = narrowing.about_files
    ? ((await filesInScope(narrowing, { state_dir: config.state_dir, now_ms: system_clock.now_ms() })) ?? none)
    : undefined
  const public_data = options['no-public-data'] ? false : undefined
  const fields = { intelligence: options.intelligence, provider, skills, public_data }
  return { options, config, narrowing, fields, found, chat_id }
}

/** Ends without a question: an empty scope would mean the whole project. */
function nothingFound(terminal: Terminal): ExitCode {
  printNote(terminal, 'no ready file matches: nothing was asked (`sluice ls` and `sluice status` show what there is)')
  return exit_codes.incomplete
}

async function askAndShow(asking: Asking, remote: Remote, terminal: Terminal): Promise<ExitCode> {
  const { narrowing, found, options } = asking
  const about = scopeText(narrowing, found)
  if (!options.json) terminal.err(terminal.err_styles.dim(`asking about ${about}`))
  const signals = listenForStop()
  void aborted(signals.first).then(() => remote.close())
  let doing = 'asking'
  const spinner = showSpinner(terminal, system_clock, () => doing)
  try {
    const tools = { remote, project_id: narrowing.project_id, clock: system_clock, stopped: signals.first }
    const turn = await askOnce(tools, await questionOf(asking, tools), asking.chat_id)
    remember(asking, turn, terminal)
    const asked_ms = system_clock.now_ms()
    doing = 'waiting for the answer'
    const deadline_ms = asking.config.asking.deadline_ms[options.intelligence]
    const answer = await awaitAnswer(tools, turn, { ...polling, deadline_ms })
    await spinner.end()
    show(asking, { turn, answer, about, asked_ms }, terminal)
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

async function questionOf({ options, narrowing, fields, found }: Asking, tools: AskTools): Promise<Question> {
  const label_ids = await labelIdsOf(narrowing, tools)
  await refuseMissing(narrowing, tools)
  return question(fields, options.question.join(' '), scopeOf(found?.files ?? [], label_ids, narrowing.others))
}

/** A scheduled prompt leaves out what is gone. A user is there to correct the question. */
async function refuseMissing({ others, project_id }: Narrowing, tools: AskTools): Promise<void> {
  const checked = await checkScope(project_id, others, tools)
  if (!checked.ok) throw failureOf(checked.failure)
  const { gone } = checked.value
  if (gone.length === 0) return
  throw new SluiceError({
    code: 'usage.scope',
    message: `nothing was asked: the service does not have ${gone.join(', ')}, or the token has no access`,
    hint: 'check the ids after --chat and --project',
  })
}

async function labelIdsOf({ others: { labels }, project_id }: Narrowing, { remote }: AskTools): Promise<string[]> {
  if (labels.length === 0) return []
  const known = await remote.listLabels(project_id)
  if (!known.ok) throw failureOf(known.failure)
  return labelIds(labels, known.value)
}

type Answered = { turn: Turn; answer: string; about: string; asked_ms: number }

function show({ options, narrowing, found }: Asking, answered: Answered, terminal: Terminal): void {
  const { turn, answer, about, asked_ms } = answered
  const sources = sourcesOf(answer, found?.files ?? [])
  if (!options.json) {
    terminal.out(`${answerText(answer)}\n`)
    printLines(terminal, sourceLines(sources, about, terminal.width))
    return
  }
  const { project_id, others, about_files } = narrowing
  const is_narrowed = about_files || hasOthers(others)
  const scope = {
    whole_project: !is_narrowed || others.projects.includes(project_id),
    files: found?.files.length ?? null,
    is_cut: found?.is_cut ?? false,
    ...others,
  }
  const times = { asked: isoTime(asked_ms), answered: isoTime(system_clock.now_ms()) }
  printJson(terminal, { project_id, ...turn, ...times, scope, answer, sources })
}
