import { type AnyCommand, type ListedCommand, nameOf } from './command.ts'

// These modules hold several commands each.
const pause = () => import('./commands/pause.ts')
const accept = () => import('./commands/accept.ts')
const prompts = () => import('./commands/prompts.ts')
const backup = () => import('./commands/backup.ts')
const serve = () => import('./commands/serve.ts')
const accounts = () => import('./commands/serve-accounts.ts')
const user = async () => (await accounts()).user
const member = async () => (await accounts()).member
const workspace = async () => (await accounts()).workspace
const project = async () => (await accounts()).project
const token = async () => (await accounts()).token
const page = () => import('./commands/page.ts')
const scopes = () => import('./commands/serve-scopes.ts')
const concept = async () => (await scopes()).concept
const view = async () => (await scopes()).view

/**
 * Every command, in the groups and the order of the help and the README. Each module is loaded
 * when its command runs, so that `status` does not load the service.
 */
export const commands: readonly ListedCommand[] = [
  command(
    'init',
    'ask a few questions and write a configuration',
    () => import('./commands/init.ts'),
  ),
  command('config', 'show the configuration in force', () => import('./commands/config.ts')),
  readingCommand(
    'doctor',
    'check everything that Sluice needs, and say what to do',
    () => import('./commands/doctor.ts'),
  ),
  command(
    'install',
    'install Sluice as a systemd service: unit, user, configuration and token',
    () => import('./commands/install.ts'),
  ),
  command('uninstall', 'remove what install has made', () => import('./commands/uninstall.ts')),
  command(
    'completion [shell]',
    'print the script that completes commands with Tab',
    () => import('./commands/completion.ts'),
  ),
  command('version', 'show the version', () => import('./commands/version.ts')),
  readingCommand(
    'plan',
    'show which files would be uploaded, which not and why; uploads nothing',
    () => import('./commands/plan.ts'),
  ),
  readingCommand(
    'sync [folders..]',
    'upload what is new in the folders once, then exit',
    () => import('./commands/sync.ts'),
  ),
  command(
    'run',
    'watch the folders and upload their files, until stopped',
    () => import('./commands/run.ts'),
  ),
  command(
    'status',
    'show the state of all files, and what to do',
    () => import('./commands/status.ts'),
  ),
  command('ls [path]', 'list the files and their states', () => import('./commands/ls.ts')),
  readingCommand(
    'explain <path>',
    'say why one file has its state',
    () => import('./commands/explain.ts'),
  ),
  readingCommand(
    'verify [folders..]',
    'compare the ledger with the disk and the service now',
    () => import('./commands/verify.ts'),
  ),
  verb('pause', 'stop uploading, asking and delivering, for a time or until resume', pause),
  verb('resume', 'end the pause: Sluice uploads, asks and delivers again', pause),
  command(
    'rescan [folders..]',
    'make the daemon scan folders now',
    () => import('./commands/rescan.ts'),
  ),
  verb('retry [paths..]', 'try refused, blocked and deferred files again now', accept),
  verb(
    'accept <path>',
    'upload files that are held back; or confirm that the files of a folder were really deleted',
    accept,
  ),
  command(
    'reload',
    'make the daemon read its configuration again',
    () => import('./commands/reload.ts'),
  ),
  command(
    'ask <question..>',
    'ask the assistant about the files that are ready',
    () => import('./commands/ask.ts'),
  ),
  group('prompts', 'show, run and deliver the scheduled prompts', [
    verb('list', 'list the prompts, each with its last run and its next time', prompts),
    verb('next', 'show the next five times of each prompt', prompts),
    command(
      'run [name]',
      'run a prompt now, and wait for its report',
      () => import('./commands/prompts-run.ts'),
    ),
    verb('history <name>', 'list the runs of a prompt, newest first', prompts),
    verb('show [run]', 'show a run: its report, how complete it is, and its deliveries', prompts),
    command(
      'deliver <run>',
      'deliver a report again to receivers that did not get it',
      () => import('./commands/prompts-deliver.ts'),
    ),
    command(
      'diff <before> <after>',
      'show the differences between the answers of two runs',
      () => import('./commands/prompts-diff.ts'),
    ),
  ]),
  verb('backup <file>', 'copy the ledger into a file, also while a daemon runs', backup),
  verb('restore <file>', 'restore the ledger from a backup; stop the daemon first', backup),
  command(
    'rebuild',
    'rebuild a lost ledger from the disk and the service',
    () => import('./commands/rebuild.ts'),
  ),
  command('page', 'print a link that signs in to the page, once', page, [
    group('user', 'the users of the page', [
      verb('add <name>', 'allow a user to use the page, or change what the user may do', page),
      verb('list', 'list the users of the page', page),
      verb('remove <name>', 'end the right of a user to use the page', page),
    ]),
    verb('token <name>', 'make a token by which an agent or a feed reader acts for a user', page),
    verb('logout [name]', 'end the sessions of a user, or of one-time links', page),
  ]),
  command(
    'mcp',
    'answer agents on standard input and output (Model Context Protocol)',
    () => import('./commands/mcp.ts'),
  ),
  command('serve', 'run the local service', serve, [
    verb('backup <folder>', 'copy the data of the local service, also while it runs', serve),
    verb('status', 'show how much of the index of the local service is made', serve),
    verb('cert <hosts..>', 'make a certificate and a private authority for it', serve),
    group('user', 'the users of the local service', [
      verb('create <email>', 'make a user; `member add` makes them a member of a project', user),
      verb('list', 'list the users', user),
      verb('remove <email>', 'remove a user with their tokens', user),
    ]),
    group('workspace', 'the workspaces of the local service, which hold projects', [
      verb('create <name>', 'make a workspace', workspace),
      verb('list', 'list the workspaces', workspace),
    ]),
    group('project', 'the projects of the local service', [
      verb('create <name>', 'make a project', project),
      verb('list', 'list the projects', project),
      verb('remove <project>', 'remove a project with all that is in it', project),
    ]),
    group('member', 'the members of a project', [
      verb(
        'add <email>',
        'make a user a member, or change their role; invite a person who is no user yet',
        member,
      ),
      verb('list', 'list the members and the invited persons of all projects', member),
      verb('remove <email>', 'remove a member or an invited person from a project', member),
    ]),
    group('token', 'the tokens of the local service', [
      verb('create <name>', 'make a token; it is shown only once', token),
      verb('list', 'list the tokens', token),
      verb('revoke <name>', 'revoke a token', token),
    ]),
    group('concept', 'named sets of assets, for the scope of a question', [
      verb('create <name>', 'make a concept of assets', concept),
      verb('list', 'list the concepts', concept),
      verb('change <id>', 'change its name, assets or labels', concept),
      verb('remove <id>', 'remove a concept; its assets stay', concept),
    ]),
    group('view', 'saved filters over assets, for the scope of a question', [
      verb('create <name>', 'save a filter', view),
      verb('list', 'list the views', view),
      verb('change <id>', 'change its name or filter', view),
      verb('remove <id>', 'remove a view', view),
    ]),
  ]),
  command(
    'demo [folder]',
    'try Sluice with a local service of its own',
    () => import('./commands/demo.ts'),
  ),
]

type Module<Name extends string> = () => Promise<{ [Exported in Name]: AnyCommand }>

/** A command with a file of its own. */
function command(
  usage: string,
  describe: string,
  load: Module<'command'>,
  subcommands: readonly ListedCommand[] = [],
): ListedCommand {
  return { usage, describe, load: async () => (await load()).command, subcommands }
}

/** As `command`, of one that reads the folders. */
function readingCommand(usage: string, describe: string, load: Module<'command'>): ListedCommand {
  return { ...command(usage, describe, load), reads_folders: true }
}

/** One of the commands of a file that has several, each exported by its name. */
function verb<Verb extends string>(
  usage: `${Verb} ${string}` | Verb,
  describe: string,
  load: Module<Verb>,
): ListedCommand {
  return { usage, describe, load: async () => (await load())[nameOf(usage) as Verb] }
}

/** A command without an action of its own: only its subcommands do something. */
function group(
  usage: string,
  describe: string,
  subcommands: readonly ListedCommand[],
): ListedCommand {
  return { usage, describe, subcommands }
}
