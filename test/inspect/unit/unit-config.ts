import type { Config } from '../../../src/config/config.ts'
import type { DropInFacts } from '../../../src/inspect/unit/drop-in.ts'
import { configOf } from '../../rig/config-of.ts'

const project_id = 'project_0123456789abcdefghij'

export function unitConfig(
  folders: readonly string[],
  more: { service?: object; [section: string]: unknown } = {},
): Config {
  const named = folders.map((path, at) => ({ name: `folder-${at}`, path }))
  const { service: changed, ...others } = more
  const service = { base_url: 'https://assistant.example.com', project_id, ...changed }
  return configOf(
    { service, folders: named, ...others },
    { HOME: '/nowhere', STATE_DIRECTORY: '/var/lib/sluice' },
  )
}

export function promptTo(...deliver: object[]): object {
  return {
    name: 'digest',
    cron: '0 8 * * 1',
    prompt: 'What is new?',
    scope: { folders: ['folder-0'] },
    deliver,
  }
}

export const facts: DropInFacts = {
  config_file: '/etc/sluice/sluice.yaml',
  state_dir: '/var/lib/sluice',
  node: '/usr/bin/node',
  program: '/usr/local/lib/node_modules/sluice/dist/cli/main.js',
  is_refreshing: false,
  is_token_own: false,
  groups: [],
  mounts: new Map(),
}
