import { optional, prefault, z } from 'zod'
import { day_ms, second_ms } from '../../base/time/time.ts'
import { choice, duration, refusing } from './fields.ts'
import { alerts_schema, health_schema } from './schema-alerts.ts'
import { baseUrlFault, smtp_schema } from './schema-deliver.ts'
import { folder_schema, local_path, project_id, token_path } from './schema-folder.ts'
import { ledger_schema, log_schema, removal_schema, uploads_schema } from './schema-limits.ts'
import { page_schema } from './schema-page.ts'
import { prompt_schema } from './schema-prompts.ts'

const base_url = z
  .string('must be a text')
  .check(refusing(baseUrlFault))
  .describe(
    'The address of the service, with the path before /v1 if there is one. It needs https (http only to this ' +
      'machine), because every call contains the token.',
  )

const service_schema = z.strictObject({
  base_url,
  project_id: project_id.describe(
    'The project that files are uploaded to, unless their folder names another one: project_ and 20 letters or ' +
      'digits.',
  ),
  token_file: optional(token_path).describe(
    'The file that contains the token and nothing else. Only its owner may read it (chmod 600). ' +
      'SLUICE_TOKEN_FILE and the systemd credential `token` override it; SLUICE_TOKEN is used without such a file. ' +
      'Sluice reads it again when the service refuses the token.',
  ),
  ca_file: optional(local_path).describe(
    'Certificates (PEM) of authorities that Sluice trusts besides those of Node, such as that of your company. ' +
      'Default none.',
  ),
})

const audit_schema = z.strictObject({
  on_remote_delete: choice(['respect', 'resend'], 'respect').describe(
    'What happens to a ready file that a user removed on the service. respect (default): Sluice does not upload ' +
      'it again, and status shows it. resend: Sluice uploads it again at the end of the audit. If more than a ' +
      'tenth of all assets (and more than 100) are gone, this is probably a fault, and Sluice waits until a user ' +
      'runs `sluice retry PATH`.',
  ),
})

const deadline = (usual: string, about: string) =>
  duration('ms', { usual, min: second_ms, max: day_ms }).describe(about)

const asking_schema = z.strictObject({
  deadline_ms: z
    .strictObject({
      fast: deadline('5m', 'With intelligence fast. Default 5m: such answers take seconds.'),
      auto: deadline(
        '15m',
        'With intelligence auto. Default 15m: the service may choose a slow model.',
      ),
      expert: deadline('30m', 'With intelligence expert. Default 30m: such answers take minutes.'),
      research: deadline(
        '2h',
        'With intelligence research. Default 2h: the service reads many sources, one after the other.',
      ),
    })
    .prefault({})
    .describe('Longest wait for an answer, by the intelligence of the prompt. Then the run fails.'),
})

export const config_schema = z.strictObject({
  service: service_schema.describe('The service and the project that files are uploaded to.'),
  state_dir: optional(local_path).describe(
    'Directory of the ledger and other state. It must be on a local disk (SQLite does not work over network ' +
      'shares) and outside every watched folder. Default: $STATE_DIRECTORY (set by systemd), else /var/lib/sluice ' +
      'for /etc/sluice/sluice.yaml and /var/lib/sluice-NAME for /etc/sluice/NAME.yaml, else ' +
      '$XDG_STATE_HOME/sluice, else ~/.local/state/sluice.',
  ),
  folders: z
    .array(folder_schema, 'must be a list of folders, each after "- "')
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
  log: prefault(log_schema, {}).describe('The log on standard error.'),
  prompts: z
    .array(prompt_schema, 'must be a list of prompts, each after "- "')
    .max(100, 'must not have more than 100 prompts')
    .prefault([])
    .describe(
      'Questions about the files that Sluice asks on a schedule, 0 to 100 prompts. Default none.',
    ),
  smtp: optional(smtp_schema).describe(
    'The mail server of e-mail deliveries that name no other. Default none.',
  ),
  asking: prefault(asking_schema, {}).describe('How long prompts wait for answers.'),
  health: prefault(health_schema, {}).describe(
    'Limits above which the health has a problem, and the address of health and metrics.',
  ),
  page: prefault(page_schema, {}).describe(
    'The page: everybody sees whether their files are in, asks questions and reads the reports in a browser. ' +
      'docs/page.md shows how to turn it on.',
  ),
  alerts: prefault(alerts_schema, {}).describe('Receivers of a message when the health changes.'),
})

/** Content of the file after the schema has checked it. Paths are still as written. */
export type CheckedConfig = z.output<typeof config_schema>
