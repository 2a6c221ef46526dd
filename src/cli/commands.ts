import type { ListedCommand } from './command.ts'

/** Every command, in the order of the help. Each is loaded when it is called: `status` does not pay for what `serve` needs. */
export const commands: readonly ListedCommand[] = [
  {
    usage: 'init',
    describe: 'ask a few questions and write a configuration',
    load: () => import('./commands/init.ts'),
  },
  { usage: 'run', describe: 'watch the folders, until stopped', load: () => import('./commands/run.ts') },
  {
    usage: 'sync [folders..]',
    describe: 'one pass over the folders, then exit',
    load: () => import('./commands/sync.ts'),
  },
  {
    usage: 'plan',
    describe: 'what would go up, what not and why; sends nothing',
    load: () => import('./commands/plan.ts'),
  },
  {
    usage: 'status',
    describe: 'where everything stands, and what to do',
    load: () => import('./commands/status.ts'),
  },
  { usage: 'ls [path]', describe: 'the files and their states', load: () => import('./commands/ls.ts') },
  {
    usage: 'explain <path>',
    describe: 'why one file stands where it stands',
    load: () => import('./commands/explain.ts'),
  },
  {
    usage: 'pause',
    describe: 'send, ask and deliver nothing new, for a time or until resume',
    load: () => import('./commands/pause.ts'),
  },
  { usage: 'resume', describe: 'end the pause', load: () => import('./commands/resume.ts') },
  {
    usage: 'rescan [folders..]',
    describe: 'let the daemon scan folders now',
    load: () => import('./commands/rescan.ts'),
  },
  {
    usage: 'reload',
    describe: 'let the daemon read its configuration again',
    load: () => import('./commands/reload.ts'),
  },
  {
    usage: 'retry [paths..]',
    describe: 'try again what was refused or is blocked',
    load: () => import('./commands/retry.ts'),
  },
  {
    usage: 'accept <path>',
    describe: 'let go what is held back; for a folder that misses its files: yes, that is right',
    load: () => import('./commands/accept.ts'),
  },
  {
    usage: 'verify [folders..]',
    describe: 'compare what is known with disk and service, now',
    load: () => import('./commands/verify.ts'),
  },
  {
    usage: 'ask <question..>',
    describe: 'ask the assistant, over what came in',
    load: () => import('./commands/ask.ts'),
  },
  {
    usage: 'prompts',
    describe: 'the prompts that are asked on a schedule',
    subcommands: [
      {
        usage: 'list',
        describe: 'each with its last run and its next time',
        load: () => import('./commands/prompts-list.ts'),
      },
      { usage: 'next', describe: 'the next five times of each', load: () => import('./commands/prompts-next.ts') },
      {
        usage: 'run <name>',
        describe: 'run a prompt now, and wait for its report',
        load: () => import('./commands/prompts-run.ts'),
      },
      {
        usage: 'history <name>',
        describe: 'the runs of a prompt, newest first',
        load: () => import('./commands/prompts-history.ts'),
      },
      {
        usage: 'show <run>',
        describe: 'a run: its report, how complete it is, where it went',
        load: () => import('./commands/prompts-show.ts'),
      },
      {
        usage: 'deliver <run>',
        describe: 'send a report again to those who did not get it',
        load: () => import('./commands/prompts-deliver.ts'),
      },
      {
        usage: 'diff <before> <after>',
        describe: 'what is different between the answers of two runs',
        load: () => import('./commands/prompts-diff.ts'),
      },
    ],
  },
  {
    usage: 'demo [folder]',
    describe: 'see the main job done, with a service of its own',
    load: () => import('./commands/demo.ts'),
  },
  {
    usage: 'serve',
    describe: 'run the local service',
    load: () => import('./commands/serve.ts'),
    subcommands: [
      {
        usage: 'backup <folder>',
        describe: 'copy what the local service keeps, while it runs, too',
        load: () => import('./commands/serve-backup.ts'),
      },
      {
        usage: 'cert <hosts..>',
        describe: 'make a private authority and a certificate',
        load: () => import('./commands/serve-cert.ts'),
      },
      {
        usage: 'user',
        describe: 'the users of the local service',
        subcommands: [
          {
            usage: 'create <email>',
            describe: 'make a user, a member at once wherever they were invited',
            load: () => import('./commands/serve-user-create.ts'),
          },
          { usage: 'list', describe: 'list the users', load: () => import('./commands/serve-user-list.ts') },
          {
            usage: 'remove <email>',
            describe: 'remove a user with their tokens',
            load: () => import('./commands/serve-user-remove.ts'),
          },
        ],
      },
      {
        usage: 'workspace',
        describe: 'the workspaces of the local service, which hold projects',
        subcommands: [
          {
            usage: 'create <name>',
            describe: 'make a workspace',
            load: () => import('./commands/serve-workspace-create.ts'),
          },
          { usage: 'list', describe: 'list the workspaces', load: () => import('./commands/serve-workspace-list.ts') },
        ],
      },
      {
        usage: 'project',
        describe: 'the projects of the local service',
        subcommands: [
          {
            usage: 'create <name>',
            describe: 'make a project',
            load: () => import('./commands/serve-project-create.ts'),
          },
          { usage: 'list', describe: 'list the projects', load: () => import('./commands/serve-project-list.ts') },
        ],
      },
      {
        usage: 'token',
        describe: 'the tokens of the local service',
        subcommands: [
          {
            usage: 'create <name>',
            describe: 'make a token, shown once',
            load: () => import('./commands/serve-token-create.ts'),
          },
          { usage: 'list', describe: 'list the tokens', load: () => import('./commands/serve-token-list.ts') },
          {
            usage: 'revoke <name>',
            describe: 'make a token useless',
            load: () => import('./commands/serve-token-revoke.ts'),
          },
        ],
      },
      {
        usage: 'concept',
        describe: 'named sets of assets, for the scope of a question',
        subcommands: [
          {
            usage: 'create <name>',
            describe: 'make a concept of assets',
            load: () => import('./commands/serve-concept-create.ts'),
          },
          { usage: 'list', describe: 'list the concepts', load: () => import('./commands/serve-concept-list.ts') },
          {
            usage: 'change <id>',
            describe: 'another name, other assets or labels',
            load: () => import('./commands/serve-concept-change.ts'),
          },
          {
            usage: 'remove <id>',
            describe: 'remove a concept; its assets stay',
            load: () => import('./commands/serve-concept-remove.ts'),
          },
        ],
      },
      {
        usage: 'view',
        describe: 'saved filters over assets, for the scope of a question',
        subcommands: [
          {
            usage: 'create <name>',
            describe: 'save a filter',
            load: () => import('./commands/serve-view-create.ts'),
          },
          { usage: 'list', describe: 'list the views', load: () => import('./commands/serve-view-list.ts') },
          {
            usage: 'change <id>',
            describe: 'another name or filter',
            load: () => import('./commands/serve-view-change.ts'),
          },
          { usage: 'remove <id>', describe: 'remove a view', load: () => import('./commands/serve-view-remove.ts') },
        ],
      },
    ],
  },
  {
    usage: 'install',
    describe: 'lay down unit, user, configuration and token for systemd',
    load: () => import('./commands/install.ts'),
  },
  {
    usage: 'uninstall',
    describe: 'take away what install has laid down',
    load: () => import('./commands/uninstall.ts'),
  },
  {
    usage: 'backup <file>',
    describe: 'copy what is known into a file, also while a daemon runs',
    load: () => import('./commands/backup.ts'),
  },
  {
    usage: 'restore <file>',
    describe: 'go back to a backup; the daemon is stopped',
    load: () => import('./commands/restore.ts'),
  },
  {
    usage: 'rebuild',
    describe: 'make a lost ledger again from disk and service',
    load: () => import('./commands/rebuild.ts'),
  },
  {
    usage: 'doctor',
    describe: 'is everything there that Sluice needs, and what to do',
    load: () => import('./commands/doctor.ts'),
  },
  { usage: 'config', describe: 'show the configuration in force', load: () => import('./commands/config.ts') },
  {
    usage: 'completion [shell]',
    describe: 'print the script that completes commands with Tab',
    load: () => import('./commands/completion.ts'),
  },
  { usage: 'version', describe: 'show the version', load: () => import('./commands/version.ts') },
]
