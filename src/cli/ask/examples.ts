/**
 * A line that is too long for a narrow terminal continues after a `\`, so that it can be copied.
 */
type Example = readonly [line: string, why: string]

/**
 * The examples in the help, by the words of the command. They stand apart from the commands so that
 * groups of commands have some, too. A test compares them with the table of commands.
 */
const examples: Readonly<Record<string, readonly Example[]>> = {
  init: [
    ['$0 init', 'ask for everything'],
    [
      [
        '$0 init --yes --project Office',
        '--base-url https://ai.example.com',
        '--token-file ~/token',
        '--folder notes=~/notes --start 90d',
      ].join(' \\\n'),
      'ask for nothing',
    ],
  ],
  run: [['$0 run --config /etc/sluice/sluice.yaml', 'as a service manager starts it']],
  sync: [
    ['$0 sync', 'one pass over all folders'],
    ['$0 sync notes', 'over one'],
  ],
  plan: [
    ['$0 plan', 'what a first run would upload'],
    ['$0 plan --hash', 'the same, and find bytes that the project has already'],
  ],
  status: [
    ['$0 status', 'the state of all files'],
    ['$0 status --watch', 'again each second'],
  ],
  ls: [
    ['$0 ls notes', 'the files of a folder'],
    ["$0 ls '*.pdf'", 'the files of all folders that match a pattern'],
    ['$0 ls --state refused,blocked', 'files that need attention'],
  ],
  explain: [['$0 explain notes/2026/minutes.docx', 'why it is not there (yet)']],
  retry: [
    ['$0 retry', 'every file that is refused, blocked or deferred'],
    ['$0 retry notes/scans', 'of one directory'],
    ["$0 retry 'notes/**/*.docx'", 'of one type in a folder'],
  ],
  accept: [
    ['$0 accept archive', 'upload everything of this folder that is held back'],
    ["$0 accept '*.gz'", 'a type that the service could not read, from now on'],
    ["$0 accept '*.gz' --undo", 'not any more'],
  ],
  pause: [['$0 pause', 'upload and ask nothing until `sluice resume`']],
  resume: [['$0 resume', 'go on']],
  rescan: [['$0 rescan notes', 'scan one folder now']],
  reload: [['$0 reload', 'use the changed configuration']],
  verify: [
    ['$0 verify', 'do disk, ledger and service agree?'],
    ['$0 verify --full notes', 'one folder, with every byte read'],
  ],
  doctor: [
    ['$0 doctor', 'is everything in order?'],
    ['$0 doctor --json', 'the same for a program'],
  ],
  install: [['$0 install --dry-run', 'the files it would write, and where']],
  uninstall: [['$0 uninstall --dry-run', 'what it would remove']],
  backup: [['$0 backup /var/backups/sluice-ledger.db', 'also while a daemon runs']],
  restore: [['$0 restore /var/backups/sluice-ledger.db', 'stop the daemon first']],
  rebuild: [
    ['$0 rebuild --dry-run', 'the data that it would use; changes nothing'],
    ['$0 rebuild', 'after a loss; stop the daemon first'],
  ],
  ask: [
    ['$0 ask "Which contracts end this year?"', 'over the whole project'],
    ['$0 ask --folder notes --fresh 24h "What is new?"', 'over what just arrived'],
    ['$0 ask --skill terse --no-public-data "What is owed?"', 'by a skill, without a web search'],
  ],
  prompts: [['$0 prompts list', 'what is asked, and when']],
  'prompts list': [['$0 prompts list --json', 'for a program']],
  'prompts next': [['$0 prompts next', 'the next five times of each']],
  'prompts run': [
    ['$0 prompts run weekly-digest', 'now, and wait for the report'],
    ['$0 prompts run weekly-digest --dry-run', 'what would be asked, over which files'],
  ],
  'prompts history': [['$0 prompts history weekly-digest --limit 5', 'the last five runs']],
  'prompts deliver': [
    ['$0 prompts deliver weekly-digest@2026-11-23T08:00', 'deliver again what was given up'],
  ],
  'prompts show': [
    ['$0 prompts show weekly-digest', 'its newest report'],
    ['$0 prompts show weekly-digest@2026-11-23T08:00', 'the run of that time'],
  ],
  'prompts diff': [['$0 prompts diff 41 42', 'two runs by their numbers']],
  demo: [['$0 demo', 'with a service and a folder of its own, taken away afterwards']],
  serve: [
    ['$0 serve --port 8321', 'on fixed ports'],
    ['$0 serve project create office', 'while it runs, or before'],
  ],
  'serve backup': [
    ['$0 serve backup ~/service-monday', 'a data folder: `serve --data-dir` starts on it'],
  ],
  'serve status': [['$0 serve status', 'whether its index is being made anew, and how far']],
  'serve cert': [
    ['$0 serve cert sluice.lan 192.168.1.4', 'for a service that other machines reach'],
    ['$0 serve cert 192.168.1.4 --dir /etc/sluice/tls', 'in a folder of its own'],
  ],
  'serve user create': [['$0 serve user create ada@example.org --name Ada', 'prints the id']],
  'serve user list': [['$0 serve user list', 'all users, and their projects']],
  'serve user remove': [['$0 serve user remove ada@example.org', 'her tokens stop working']],
  page: [['$0 page', 'prints the link']],
  'page user add': [
    ['$0 page user add ada --folder notes', 'ada sees this folder, and changes nothing'],
    [
      '$0 page user add group:admins --role operator',
      'users who are in this group, as a proxy says',
    ],
  ],
  'page user list': [['$0 page user list', 'who may use the page, and what they see']],
  'page user remove': [['$0 page user remove ada', 'also ends her sessions and her token']],
  'page logout': [['$0 page logout ada', 'her browsers sign in again']],
  'page token': [['$0 page token ada', 'prints the token, once']],
  mcp: [
    ['$0 mcp --config /etc/sluice/sluice.yaml', 'as an agent on this machine starts it'],
    ['$0 page token ada', 'for an agent elsewhere: it sends this to /mcp below the page'],
  ],
  'serve workspace create': [
    ['$0 serve workspace create finance', 'for projects of its own'],
    [
      '$0 serve workspace create finance --organisation acme',
      'the organisation is made with its first workspace',
    ],
  ],
  'serve workspace list': [['$0 serve workspace list', 'all workspaces']],
  'serve project create': [
    ['$0 serve project create office', 'prints its id'],
    ['$0 serve project create invoices --workspace finance', 'in a workspace of its own'],
  ],
  'serve project list': [['$0 serve project list', 'the projects and their ids']],
  'serve project remove': [['$0 serve project remove invoices', 'says what would go with it']],
  'serve member add': [
    [
      '$0 serve member add ada@example.org \\\n  --project office --role owner',
      'prints a link if she is no user yet',
    ],
  ],
  'serve member list': [['$0 serve member list', 'who reaches which project, and how they joined']],
  'serve member remove': [
    ['$0 serve member remove ada@example.org --project office', 'she stays a user'],
  ],
  'serve token create': [
    ['$0 serve token create laptop', 'prints the token, once'],
    [
      '$0 serve token create ada-laptop --user ada@example.org',
      'for the projects of Ada, with her role',
    ],
  ],
  'serve token list': [['$0 serve token list', 'the names of all tokens']],
  'serve token revoke': [['$0 serve token revoke laptop', 'it stops working']],
  'serve concept create': [
    [
      '$0 serve concept create tenders --project project_4f7k2m9q0x3c8v1b6n5z --assets asset_4f7k2m9q0x3c8v1b6n5z',
      'prints its id',
    ],
  ],
  'serve concept list': [['$0 serve concept list', 'the concepts and their ids']],
  'serve concept change': [
    [
      '$0 serve concept change concept_4f7k2m9q0x3c8v1b6n5z --name bids --labels public',
      'its assets stay as they are',
    ],
  ],
  'serve concept remove': [
    ['$0 serve concept remove concept_4f7k2m9q0x3c8v1b6n5z', 'its assets stay'],
  ],
  'serve view create': [
    [
      "$0 serve view create minutes --project project_4f7k2m9q0x3c8v1b6n5z --name-pattern '*.md'",
      'every Markdown file, those that come later included; prints its id',
    ],
  ],
  'serve view list': [['$0 serve view list', 'the views and their ids']],
  'serve view change': [
    [
      "$0 serve view change view_4f7k2m9q0x3c8v1b6n5z --labels board --name-pattern ''",
      'by its label alone',
    ],
  ],
  'serve view remove': [['$0 serve view remove view_4f7k2m9q0x3c8v1b6n5z', 'what it shows stays']],
  config: [
    ['$0 config', 'what is in force, with all defaults'],
    ['$0 config --json', 'for a program'],
  ],
  completion: [
    ['source <($0 completion bash)', 'in ~/.bashrc'],
    ['$0 completion zsh > ~/.zfunc/_sluice', 'where fpath has ~/.zfunc'],
  ],
  version: [['$0 version', 'the version of this program']],
}

/**
 * `path`: the words of the command, such as `prompts run`. A group has the examples of its `list`.
 * `$0` in an example is the program.
 */
export function examplesOf(path: readonly string[]): readonly Example[] {
  const words = path.join(' ')
  return examples[words] ?? examples[`${words} list`] ?? []
}
