import { z } from 'zod'
import { choice, count } from './fields.ts'

export const audit_schema = z.strictObject({
  pages_per_minute: count({
    usual: 10,
    least: 1,
    most: 6_000,
    about:
      'Calls a minute with which the list of the service is read, 100 assets each. Default 10: nobody notices them, and ' +
      'a million assets are looked at in 17 hours. It rises by itself where a round would take longer than round_hours.',
  }),
  round_hours: count({
    usual: 24,
    least: 1,
    most: 720,
    about:
      'A full round begins so long after the one before, and is over by then. Default 24: what somebody removes there ' +
      'is known here the next day.',
  }),
  on_remote_delete: choice(
    ['respect', 'resend'],
    'respect',
    'What becomes of a file that was ready and that somebody removed on the service. respect (default): it stays away, and ' +
      'status says so: whoever removed it there will have meant it. resend: at the end of the round it goes up again, ' +
      'unless more than a tenth of everything (and more than 100) is gone: that looks like a fault, and a person says ' +
      '`sluice retry PATH`.',
  ),
})
