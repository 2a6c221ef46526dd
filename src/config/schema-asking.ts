import { z } from 'zod'
import { duration } from './fields.ts'

const second_ms = 1_000
const hour_ms = 3_600_000
const day_ms = 86_400_000

const deadline = (usual: string, about: string) => duration('ms', { usual, least: second_ms, most: day_ms, about })

export const asking_schema = z.strictObject({
  first_ms: duration('ms', {
    usual: '1s',
    least: 10,
    most: hour_ms,
    about: 'The first look for an answer comes after so long; then later and later. Default 1s: none is faster.',
  }),
  most_ms: duration('ms', {
    usual: '15s',
    least: 10,
    most: hour_ms,
    about:
      'The longest pause between two looks for an answer. Default 15s: four calls a minute, and a report that nobody ' +
      'waits for at a screen may come so much later.',
  }),
  deadline_ms: z
    .strictObject({
      fast: deadline('5m', 'With intelligence fast. Default 5m: such answers take seconds.'),
      auto: deadline('15m', 'With intelligence auto. Default 15m: it may choose a thorough model.'),
      expert: deadline('30m', 'With intelligence expert. Default 30m: it reads and thinks for minutes.'),
      research: deadline('2h', 'With intelligence research. Default 2h: it works through many sources, one by one.'),
    })
    .prefault({})
    .meta({ description: 'How long an answer may take before the run has failed, by the intelligence of the prompt.' }),
  look_for_ms: duration('ms', {
    usual: '2m',
    least: 10,
    most: day_ms,
    about:
      'How long a question whose fate is unknown (the line broke, the program stopped) is looked for among the chats ' +
      'before it is asked once more. Default 2m: a chat shows within seconds, and asking twice costs more than waiting.',
  }),
  deliver_first_ms: duration('ms', {
    usual: '10s',
    least: 10,
    most: day_ms,
    about:
      'The pause before a delivery is tried a second time; it doubles each time. Default 10s: a passing fault is ' +
      'over by then.',
  }),
  deliver_most_ms: duration('ms', {
    usual: '1h',
    least: 10,
    most: day_ms,
    about: 'The longest pause between two tries of a delivery. Default 1h: soon enough after an outage.',
  }),
  deliver_give_up_ms: duration('ms', {
    usual: '3d',
    least: second_ms,
    most: 30 * day_ms,
    about:
      'A delivery that failed for so long is given up, and said so. Default 3d: a receiver that breaks on Friday is ' +
      'mended on Monday. Most 30d.',
  }),
})
