import { z } from 'zod'
import { deliveries, outgoing_url } from './schema-deliver.ts'
import { local_path } from './schema-folder.ts'

const ping_schema = z
  .strictObject({
    url: outgoing_url.optional().meta({
      description:
        'The address of the checker, such as one of healthchecks.io: https, or http to this machine alone. Whoever has it may ' +
        'ping in our name: `sluice config` masks it, url_file keeps it out of this file.',
    }),
    url_file: local_path.optional().meta({
      description: 'The file that holds the address, alone, readable by its owner only. Either this or url.',
    }),
  })
  .check(({ value, issues }) => {
    if ((value.url === undefined) === (value.url_file === undefined)) {
      issues.push({ code: 'custom', message: 'must have either url or url_file', input: value })
    }
  })

export const alerts_schema = z.strictObject({
  deliver: deliveries(
    'Who is told when the health changes, in the same ways as a report (see prompts[].deliver), each tried again by itself, ' +
      'later and later, for three days. Empty by default: `sluice status`, the log and the metrics tell it to those who look.',
  ),
  ping: ping_schema.optional().meta({
    description:
      'A GET to a checker elsewhere while all is well; it tells when the pings stop, which a machine that is down cannot. Default none.',
  }),
})
