import { z } from 'zod'
import { duration } from './fields.ts'
import { deliveries, outgoing_url } from './schema-deliver.ts'
import { local_path } from './schema-folder.ts'

const second_ms = 1_000
const day_ms = 86_400_000

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
    every_ms: duration('ms', {
      usual: '5m',
      least: second_ms,
      most: day_ms,
      about: 'How often. Default 5m: checkers that wait for three of them tell within a quarter of an hour.',
    }),
  })
  .check(({ value, issues }) => {
    if ((value.url === undefined) === (value.url_file === undefined)) {
      issues.push({ code: 'custom', message: 'must have either url or url_file', input: value })
    }
  })

export const alerts_schema = z.strictObject({
  deliver: deliveries(
    'Who is told when the health changes, in the same ways as a report (see prompts[].deliver), each tried again by itself as ' +
      'asking.deliver_* says. Empty by default: `sluice status`, the log and the metrics tell it to those who look.',
  ),
  group_ms: duration('ms', {
    usual: '1m',
    least: 0,
    most: day_ms,
    about:
      'What goes wrong within this time is told in one message; what is right again before its end is not told. Default 1m: ' +
      'one cause often breaks several promises.',
  }),
  resolve_after_ms: duration('ms', {
    usual: '10m',
    least: 0,
    most: day_ms,
    about:
      'What was told counts as cured when it has been right for so long. Default 10m: what comes and goes is one alert, not twenty.',
  }),
  ping: ping_schema.optional().meta({
    description:
      'A GET to a checker elsewhere while all is well; it tells when the pings stop, which a machine that is down cannot. Default none.',
  }),
})
