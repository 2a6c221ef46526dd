import { optional, z } from 'zod'
import { deliveries, hasOneUrl, outgoing_url, url_file } from './schema-deliver.ts'

const ping_schema = z
  .strictObject({
    url: outgoing_url.describe(
      'The address of the checker, such as one of healthchecks.io: https, or http to this machine alone. Whoever has it may ' +
        'ping in our name: `sluice config` masks it, url_file keeps it out of this file.',
    ),
    url_file,
  })
  .check(hasOneUrl)

export const alerts_schema = z.strictObject({
  deliver: deliveries(
    'Who is told when the health changes, in the same ways as a report (see prompts[].deliver), each tried again by itself, ' +
      'later and later, for three days. Empty by default: `sluice status`, the log and the metrics tell it to those who look.',
  ),
  ping: optional(ping_schema).describe(
    'A GET to a checker elsewhere while all is well; it tells when the pings stop, which a machine that is down cannot. Default none.',
  ),
})
