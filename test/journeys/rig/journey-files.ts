import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const tests = fileURLToPath(new URL('../..', import.meta.url))

/** The test files of every room that begin a journey: a daemon, a service and what lies on the disk. */
export function journeyFiles(): string[] {
  const names = readdirSync(tests, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => /\.(test|root)\.ts$/.test(name))
    .map((name) => join(tests, name))
    .filter((file) =>
      /import \{[^}]*\b(begin|localJourneys|diskJourneys)\b[^}]*\} from '[./]*(journeys\/)?(rig\/)?harness\.ts'/.test(
        readFileSync(file, 'utf8'),
      ),
    )
}

/** Those that are made with one profile by `npm test`, and with the other by `npm run test:long`. */
export function localJourneyFiles(): string[] {
  return journeyFiles().filter((file) => readFileSync(file, 'utf8').includes('localJourneys('))
}
