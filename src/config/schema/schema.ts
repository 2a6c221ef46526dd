import { optional, prefault, z } from 'zod'
import { day_ms, second_ms } from '../../base/time/time.ts'
import { choice, duration, refusing } from './fields.ts'
import { alerts_schema, health_schema } from './schema-alerts.ts'
import { outgoingFault, smtp_schema } from './schema-deliver.ts'
import { folder_schema, local_path, project_id } from './schema-folder.ts'
import { ledger_schema, log_schema, removal_schema, uploads_schema } from './schema-limits.ts'
import { prompt_schema } from './schema-prompts.ts'

const base_url = z
  .string('must be a text')
  .check(refusing(baseUrlFault))
  .describe(
    'The address of the service, with the path before /v1 where there is one. https, or http to this machine alone: the ' +
      'token travels with every call.',
  )

/** Returns the fault of `service.base_url`, if any. */
export function baseUrlFault(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be an address such as https://assistant.example.com'
  const { protocol, username, password, search, hash } = new URL(text)
  if (username || password) return 'must not hold a user name or password'
  if (search || hash) return 'must not hold a query (?) or a fragment (#)'
  return protocol === 'https:' || protocol === 'http:' ? outgoingFault(text) : 'must begin with https://'
}

const service_schema = z.strictObject({
  base_url,
  project_id: project_id.describe(
    'The project that files go to unless their folder names another: project_ and 20 letters or digits.',
  ),
  token_file: optional(local_path).describe(
    'The file that holds the token, alone, readable by its owner only (chmod 600). SLUICE_TOKEN_FILE and the systemd ' +
      'credential `token` come before it, SLUICE_TOKEN after it. It is read again when the service refuses the token.',
  ),
  ca_file: optional(local_path).describe(
    'Certificates (PEM) of authorities to be trusted besides those of Node: a company’s own, for instance. Default none.',
  ),
})

const audit_schema = z.strictObject({
  on_remote_delete: choice(['respect', 'resend'], 'respect').describe(
    'What becomes of a ready file that a user removed on the service. respect (default): Sluice does not upload it again, and ' +
      'status says so: the removal was probably meant. resend: at the end of the audit it is uploaded again, unless more ' +
      'than a tenth of everything (and more than 100) is gone: that is probably a fault, and waits until a user runs ' +
      '`sluice retry PATH`.',
  ),
})

const deadline = (usual: string, about: string) =>
  duration('ms', { usual, min: second_ms, max: day_ms }).describe(about)

const asking_schema = z.strictObject({
  deadline_ms: z
    .strictObject({
      fast: deadline('5m', 'With intelligence fast. Default 5m: such answers take seconds.'),
      auto: deadline('15m', 'With intelligence auto. Default 15m: it may choose a thorough model.'),
      expert: deadline('30m', 'With intelligence expert. Default 30m: it reads and thinks for minutes.'),
      research: deadline('2h', 'With intelligence research. Default 2h: it works through many sources, one by one.'),
    })
    .prefault({})
    .describe('How long an answer may take before the run has failed, by the intelligence of the prompt.'),
})

export const config_schema = z.strictObject({
  service: service_schema.describe('Where the files go.'),
  state_dir: optional(local_path).describe(
    'Directory of the ledger and other state. It must be on a local disk (SQLite does not work over network shares) and ' +
      'outside every watched folder. Default: $STATE_DIRECTORY (set by systemd), else /var/lib/sluice for /etc/sluice/sluice.yaml and ' +
      '/var/lib/sluice-NAME for /etc/sluice/NAME.yaml, else $XDG_STATE_HOME/sluice, else ~/.local/state/sluice.',
  ),
  folders: z
    .array(folder_schema, 'must be a list of folders')
    .min(1, 'must name at least one folder')
    .max(1_000, 'must not name more than 1000 folders')
    .describe('The folders to watch, 1 to 1000.'),
  uploads: prefault(uploads_schema, {}).describe('How files are uploaded.'),
  audit: prefault(audit_schema, {}).describe(
    'The audit: Sluice checks regularly that the service still has every ready file.',
  ),
  removal: prefault(removal_schema, {}).describe(
    'Limits on what Sluice removes on the service without asking (on_delete: remove, on_change: remove_old).',
  ),
  ledger: prefault(ledger_schema, {}).describe('How long the history of files is kept.'),
  log: prefault(log_schema, {}).describe('What is written to standard error.'),
  prompts: z
    .array(prompt_schema, 'must be a list of prompts')
    .max(100, 'must not have more than 100 prompts')
    .prefault([])
    .describe(
      'What is asked about the files on a schedule, 0 to 100 prompts. Default none: Sluice asks no question of ' +
        'its own.',
    ),
  smtp: optional(smtp_schema).describe(
    'The mail server of the e-mail deliveries that name none of their own. Default none.',
  ),
  asking: prefault(asking_schema, {}).describe('How long prompts wait for answers.'),
  health: prefault(health_schema, {}).describe(
    'When something counts as a problem, and where health and metrics are served.',
  ),
  alerts: prefault(alerts_schema, {}).describe('Receivers of a message when the health changes.'),
})

/** Content of the file after the schema has checked it. Paths are still as written. */
export type CheckedConfig = z.output<typeof config_schema>
