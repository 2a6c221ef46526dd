import { z } from 'zod'
import { isLoopbackHost } from '../base/loopback.ts'
import { alerts_schema } from './schema-alerts.ts'
import { asking_schema } from './schema-asking.ts'
import { audit_schema } from './schema-audit.ts'
import { smtp_schema } from './schema-deliver.ts'
import { folder_schema, local_path, project_id } from './schema-folder.ts'
import { health_schema } from './schema-health.ts'
import { ledger_schema, log_schema, uploads_schema } from './schema-limits.ts'
import { prompt_schema } from './schema-prompts.ts'
import { removal_schema } from './schema-removal.ts'

const base_url = z
  .string({ error: 'must be a text' })
  .check((context) => {
    const wrong = baseUrlFault(context.value)
    if (wrong) context.issues.push({ code: 'custom', message: wrong, input: context.value })
  })
  .meta({
    description:
      'The address of the service, with the path before /v1 where there is one. https, or http to this machine alone: the ' +
      'token travels with every call.',
  })

/** What is wrong with `service.base_url`, or undefined. */
export function baseUrlFault(text: string): string | undefined {
  if (!URL.canParse(text)) return 'must be an address such as https://assistant.example.com'
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  if (username || password) return 'must not hold a user name or password'
  if (search || hash) return 'must not hold a query (?) or a fragment (#)'
  if (protocol === 'https:') return undefined
  // http where the wire contract allows it: to hosts where what is sent does not leave the machine.
  if (protocol !== 'http:') return 'must begin with https://'
  return isLoopbackHost(hostname) ? undefined : 'must begin with https:// (http:// is for this machine only)'
}

const service_schema = z.strictObject({
  base_url,
  project_id: project_id.meta({
    description: 'The project that files go to unless their folder names another: project_ and 20 letters or digits.',
  }),
  token_file: local_path.optional().meta({
    description:
      'The file that holds the token, alone, readable by its owner only (chmod 600). SLUICE_TOKEN_FILE and the systemd ' +
      'credential `token` come before it, SLUICE_TOKEN after it. It is read again when the service refuses the token.',
  }),
  ca_file: local_path.optional().meta({
    description:
      'Certificates (PEM) of authorities to be trusted besides those of Node: a company’s own, for instance. Default none.',
  }),
})

export const config_schema = z.strictObject({
  service: service_schema.meta({ description: 'Where the files go.' }),
  state_dir: local_path.optional().meta({
    description:
      'Where Sluice keeps what it knows; not inside a watched folder, and on a local disk (SQLite and network shares do not ' +
      'go together). Default: $STATE_DIRECTORY (set by systemd), else /var/lib/sluice for /etc/sluice/sluice.yaml and ' +
      '/var/lib/sluice-NAME for /etc/sluice/NAME.yaml, else $XDG_STATE_HOME/sluice, else ~/.local/state/sluice.',
  }),
  folders: z
    .array(folder_schema, { error: 'must be a list of folders' })
    .min(1, { error: 'must name at least one folder' })
    .max(1_000, { error: 'must not name more than 1000 folders' })
    .meta({ description: 'The folders to watch, 1 to 1000.' }),
  uploads: uploads_schema.prefault({}).meta({ description: 'How files are sent.' }),
  audit: audit_schema
    .prefault({})
    .meta({ description: 'How what is ready is held against the service, again and again.' }),
  removal: removal_schema.prefault({}).meta({
    description: 'How much of what folders let go of (on_delete, on_change) is removed on the service by itself.',
  }),
  ledger: ledger_schema.prefault({}).meta({ description: 'How long things are remembered.' }),
  log: log_schema.prefault({}).meta({ description: 'What is written to standard error.' }),
  prompts: z
    .array(prompt_schema, { error: 'must be a list of prompts' })
    .max(100, { error: 'must not have more than 100 prompts' })
    .prefault([])
    .meta({
      description:
        'What is asked about the files on a schedule, 0 to 100 prompts. Default none: a question is asked only when somebody ' +
        'wrote it.',
    }),
  smtp: smtp_schema.optional().meta({
    description: 'The mail server of the e-mail deliveries that name none of their own. Default none.',
  }),
  asking: asking_schema
    .prefault({})
    .meta({ description: 'How patiently the prompts wait for answers, and their deliveries for receivers.' }),
  health: health_schema
    .prefault({})
    .meta({ description: 'When a promise counts as broken, and where health and metrics are served.' }),
  alerts: alerts_schema.prefault({}).meta({ description: 'Who is told when the health changes.' }),
})

/** The file's content once it has passed the schema; paths and what depends on the environment still as written. */
export type CheckedConfig = z.output<typeof config_schema>
