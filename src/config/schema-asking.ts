import { z } from 'zod'
import { day_ms, second_ms } from '../base/time.ts'
import { duration } from './fields.ts'

const deadline = (usual: string, about: string) =>
  duration('ms', { usual, least: second_ms, most: day_ms }).describe(about)

export const asking_schema = z.strictObject({
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
