import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The shortest time that the config accepts. Files are made before a run and are older than this,
 * so that no run waits for them to settle. Everything else is as a user has it.
 */
export const settle_ms = 50

/**
 * Writes a configuration (JSON is YAML) with a state directory of its own, and returns the
 * arguments of the command line.
 * @param {string} folder made where it is missing
 * @param {{ watched: string, service: { api: string, token: string, project_id: string }, connections: number }} about
 * @returns {{ words: string[], config_file: string, state_dir: string, ledger_file: string }}
 */
export function configure(folder, { watched, service, connections }) {
  mkdirSync(folder, { recursive: true })
  const state_dir = join(folder, 'state')
  const token_file = join(folder, 'token')
  const config_file = join(folder, 'sluice.yaml')
  writeFileSync(token_file, service.token, { mode: 0o600 })
  const config = {
    service: { base_url: service.api, project_id: service.project_id, token_file },
    state_dir,
    folders: [{ name: 'bench', path: watched, settle_ms: `${settle_ms}ms` }],
    // Every round changes and sends the same files again.
    uploads: { concurrency: connections, min_resend_s: '0s' },
  }
  writeFileSync(config_file, JSON.stringify(config, undefined, 2))
  return {
    words: ['sync', '--config', config_file],
    config_file,
    state_dir,
    ledger_file: join(state_dir, 'ledger.db'),
  }
}
