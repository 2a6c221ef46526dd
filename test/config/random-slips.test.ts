import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { direct_paths } from '../../src/base/files/paths.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { faultLines } from '../../src/config/faults.ts'
import { checkText } from '../../src/config/load.ts'
import { startingText } from '../../src/config/starting-config.ts'

const environment = readEnvironment({ HOME: '/none' })
const secret = 'pat_0123456789abcdef0123456789abcdef'

const example = readFileSync('config/sluice.example.yaml', 'utf8')
const written = startingText({
  base_url: 'https://assistant.example.com',
  project: { project_id: 'project_0123456789abcdefghij', name: 'Team' },
  token_file: '/none/token',
  old_versions: 'keep',
  folders: [
    { name: 'notes', path: '/none/notes', start: 'all' },
    { name: 'more', path: '~/More files', start: '90d' },
  ],
  page: '127.0.0.1:8470',
  prompt: {
    name: 'weekly',
    prompt: 'What is new in {{folders}} since {{since}}?',
    cron: '0 8 * * 1',
    when: 'Mondays at 8',
  },
  reads_every_file: false,
})
const webhook = `    deliver:
      - webhook:
          url: https://hooks.example.com/services/${secret.slice(4)}
      - email:
          to: [ada@example.com]
          from: sluice@example.com
          smtp: { host: mail.example.com, port: 587 }
`
const withoutComments = (text: string) => text.replace(/^ *#.*\n|^\n/gm, '')
/** Most characters of a file are in its comments, where a slip does no harm. */
const texts = [
  example,
  written + webhook,
  withoutComments(written) + webhook,
  withoutComments(example),
]

/** Words of the parsers of YAML, of the schema and of cron, and of JavaScript. */
const inner_words =
  /zod|implicit|compact|scalar|alias|anchor|collection|mapping|indicator|unexpected|invalid_|invalid input|flow |undefined|null\b|NaN|\[object|Error\b|\n\s+at /i

const slip = fc.record({
  text: fc.constantFrom(...texts),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  inserted: fc.constantFrom('', ' ', '\t', '"', "'", ':', ...'#-,*{]|“', '\n', '\0'),
})

test('any slip of one character has at most two faults, in words for users', () => {
  fc.assert(
    fc.property(slip, ({ text, at, inserted }) => {
      const index = Math.floor(at * (text.length - 1))
      const rest = text.slice(inserted === '' ? index + 1 : index)
      const changed = text.slice(0, index) + inserted + rest
      const { config, faults, placeOf } = checkText(changed, environment, direct_paths)
      const lines = faultLines(faults, 'file', placeOf)
      expect(lines.length).toBeLessThanOrEqual(2)
      expect(config === undefined).toBe(lines.length > 0)
      for (const line of lines) {
        const number = Number(/^file:(\d+):\d+: /.exec(line)?.[1])
        expect(number).toBeGreaterThanOrEqual(1)
        expect(number).toBeLessThanOrEqual(changed.split('\n').length)
        expect(line).not.toMatch(inner_words)
        expect(line).not.toContain(secret.slice(4, -2))
      }
    }),
    { numRuns: 400 },
  )
})

test('no slip adds to the files that are tried', () => {
  for (const text of texts) expect(checkText(text, environment, direct_paths).faults).toEqual([])
})
