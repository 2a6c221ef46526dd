import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const tests = fileURLToPath(new URL('../..', import.meta.url))

/** Test files in all directories that begin a journey: a daemon, a service and files on a disk. */
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

/** Test files that `npm test` runs with one profile, and `npm run test:long` with the other. */
export function localJourneyFiles(): string[] {
  return journeyFiles().filter((file) => readFileSync(file, 'utf8').includes('localJourneys('))
}
