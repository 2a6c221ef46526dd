import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import {
  type Act,
  act,
  type Folder,
  type How,
  isTheirs,
  type Mode,
  marksOfOthers,
  names,
  play,
  World,
} from './names-world.ts'

/** How often each answer came, so that the property is seen to try both. */
const seen = { asked: 0, left_out: 0, shown: 0, hidden: 0, pages: 0 }

const modes = fc.record({
  open: fc.constantFrom<Mode>('path', 'base'),
  minutes: fc.constant<Mode>('path'),
  secret: fc.constantFrom<Mode>('path', 'base'),
})
const readers = fc.subarray([...names], { minLength: 1 })

test('property: no reader is asked over, or shown a report over, a name of a folder that they do not see', {
  timeout: 180_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      modes,
      fc.array(act, { minLength: 8, maxLength: 25 }),
      fc.array(readers, { minLength: 2, maxLength: 3 }),
      async (by_folder, acts, all) => {
        const world = await new World(by_folder).open()
        try {
          await play(world, acts)
          for (const sees of all) {
            const { files, left_out } = await world.scopeOf(sees)
            for (const file of files) expect(isTheirs(world.told(file), sees)).toBe(true)
            const shown = await world.reportsOf(sees)
            for (const run of shown)
              for (const told of world.reports.get(run)!) expect(isTheirs(told, sees)).toBe(true)
            seen.asked += files.length
            seen.left_out += left_out
            seen.shown += shown.length
            seen.hidden += [...world.reports].length - shown.length
          }
        } finally {
          await world.bench.close()
        }
      },
    ),
    { numRuns: 40 },
  )
})

type Example = [Record<Folder, Mode>, Act[], Folder[]]
const hows = ['made', 'refused', 'deferred', 'held'] as const
const by_path = { open: 'path', minutes: 'path', secret: 'path' } as const
/** A file of `secret`, whose bytes `open` gets afterwards. */
const copied = (how: How): Act[] => [
  { do: 'write', folder: 'secret', path: 'only', text: 'one', how },
  { do: 'write', folder: 'open', path: 'a.txt', text: 'one', how },
  { do: 'report', folder: 'open' },
]

test('property: nothing that the page and its tools show names a file of a folder that the reader does not see', {
  timeout: 180_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      modes,
      fc.array(act, { minLength: 8, maxLength: 14 }),
      readers,
      async (by_folder, acts, sees) => {
        const world = await new World(by_folder).open()
        try {
          await play(world, acts)
          const marks = marksOfOthers(sees)
          for (const [place, text] of await world.shownTo(sees)) {
            seen.pages += 1
            for (const mark of marks) expect(text, `${place} for ${sees}`).not.toContain(mark)
          }
        } finally {
          await world.bench.close()
        }
      },
    ),
    {
      numRuns: 10,
      examples: hows.map((how): Example => [by_path, copied(how), ['open']]),
    },
  )
})

afterAll(() => {
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(10)
})
