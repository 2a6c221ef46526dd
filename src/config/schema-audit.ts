import { z } from 'zod'
import { choice } from './fields.ts'

export const audit_schema = z.strictObject({
  on_remote_delete: choice(['respect', 'resend'], 'respect').describe(
    'What becomes of a file that was ready and that somebody removed on the service. respect (default): it stays away, and ' +
      'status says so: whoever removed it there will have meant it. resend: at the end of the round it goes up again, ' +
      'unless more than a tenth of everything (and more than 100) is gone: that looks like a fault, and a person says ' +
      '`sluice retry PATH`.',
  ),
})
