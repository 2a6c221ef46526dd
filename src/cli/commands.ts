import type { ListedCommand } from './command.ts'

/** Every command, in the order of the help. Each is loaded when it is called: `status` does not pay for what `serve` needs. */
export const commands: readonly ListedCommand[] = [
  { usage: 'config', describe: 'show the configuration in force', load: () => import('./commands/config.ts') },
  { usage: 'version', describe: 'show the version', load: () => import('./commands/version.ts') },
]
