import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { expect } from 'vitest'
import { within } from '../../rig/waiting.ts'
import { begin, type Journey } from '../rig/harness.ts'
import type { JourneyOptions } from '../rig/journey-options.ts'

export interface Burst {
  files: number
  directories: number
  /** Edits of each file, round by round, so that the kernel cannot merge them. */
  edits: number
  creates: number
}

/** Begins with this many files, all of them ready on the service. */
export async function beforeBurst(
  options: Pick<JourneyOptions, 'profile' | 'folders' | 'config'>,
  burst: Burst,
): Promise<Journey> {
  const tree = Object.fromEntries(namesOf(burst).map((name) => [name, `text of ${name}\n`]))
  const journey = await begin({ ...options, tree })
  await within('the first sync', allReady(journey), 600_000)
  return journey
}

/** The `allReady` of the journey, with enough time for this many files. */
export async function allReady(journey: Journey): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await journey.allReady()
    } catch (error) {
      if (attempt === 10) throw error
    }
  }
}

/** Changes everything in one turn of the event loop, so that no event is read meanwhile. */
export function makeBurst(journey: Journey, burst: Burst): void {
  const names = namesOf(burst)
  for (let round = 0; round < burst.edits; round++) {
    for (const name of names) appendFileSync(journey.at(name), `edit ${round}\n`)
  }
  journey.write(
    Object.fromEntries(
      Array.from({ length: burst.creates }, (_, index) => [
        `docs/d0/new-${index}.txt`,
        `new ${index}\n`,
      ]),
    ),
  )
}

/** Compares the files that a second program reads with ledger and service. */
export function expectNothingLost(journey: Journey): void {
  const listed = execFileSync('sh', ['-c', 'find docs -type f -print0 | xargs -0 md5sum'], {
    cwd: journey.base,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  const on_disk = listed
    .trim()
    .split('\n')
    .map((line) => `${line.slice(34)} ${line.slice(0, 32)}`)
    .sort()
  const in_ledger = journey
    .files()
    .filter(({ stage }) => stage === 'ready')
    .map(({ name, md5 }) => `${name} ${md5}`)
    .sort()
  expect(in_ledger).toEqual(on_disk)
  const on_service = new Set(journey.assets().map(({ md5 }) => md5))
  expect(on_disk.filter((line) => !on_service.has(line.slice(-32)))).toEqual([])
  journey.ends({ also_there: journey.assets().map(({ md5 }) => md5 ?? '') })
}

function namesOf({ files, directories }: Burst): string[] {
  return Array.from({ length: files }, (_, index) => `docs/d${index % directories}/${index}.txt`)
}
