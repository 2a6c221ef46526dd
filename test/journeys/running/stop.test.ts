import { performance } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { createLog } from '../../../src/base/text/log.ts'
import { type Clock, system_clock } from '../../../src/base/time/time.ts'
import { openSecrets } from '../../../src/config/secrets.ts'
import { startDaemon } from '../../../src/daemon/daemon.ts'
import type { Daemon } from '../../../src/daemon/running-daemon.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import type { ProfileName } from '../../../src/service/options.ts'
import { until, within } from '../../rig/waiting.ts'
import { begin, localJourneys } from '../rig/harness.ts'

/** Hashing it takes at least half a minute, but it takes no space on the disk. */
const huge = { 'docs/huge.bin': { bytes: 30_000_000_000 } }
/** A file that has settled when it is found would be hashed there, without a claim. */
const folders = { docs: { max_file_bytes: 40_000_000_000, settle_ms: 3_000 } }
/** Far less than the hashing takes, and more than a busy machine needs for closing. */
const soon_ms = 10_000

/** A daemon that is about to hash the file, and the errors that it logs. */
async function hashing(
  profile: ProfileName,
  clock: Clock = system_clock,
): Promise<{ daemon: Daemon; errors: string[]; end: () => void }> {
  let is_claimed = false
  const wrap_ledger = (ledger: Ledger): Ledger => ({
    ...ledger,
    async claimToCheck(limit, choice) {
      const claimed = await ledger.claimToCheck(limit, choice)
      is_claimed ||= claimed.work.length > 0
      return claimed
    },
  })
  const journey = await begin({ profile, folders }, 'not started')
  const config = journey.config()
  const errors: string[] = []
  const log = createLog({
    level: 'warn',
    format: 'json',
    destination: { write: (text) => void errors.push(text) },
  })
  const { secrets } = openSecrets(config, {})
  const daemon = await startDaemon({ config, secrets, clock, log, mode: 'run', wrap_ledger })
  journey.write(huge)
  await until('the check begins', () => is_claimed)
  return { daemon, errors, end: () => journey.remove('docs/huge.bin') }
}

async function took_ms(work: Promise<unknown>): Promise<number> {
  const began = performance.now()
  await within('the end', work, 20_000)
  return performance.now() - began
}

localJourneys('a stop while a huge file is hashed', (profile) => {
  test('an abort takes effect at once, even while a huge file is hashed', async () => {
    const { daemon, errors, end } = await hashing(profile)
    expect(await took_ms(daemon.abort())).toBeLessThan(soon_ms)
    expect(errors).toEqual([])
    end()
  })

  test('a second signal ends a stop that waits for the hashing', async () => {
    const { daemon, errors, end } = await hashing(profile)
    const stopped = daemon.stop()
    expect(await took_ms(Promise.all([stopped, daemon.abort()]))).toBeLessThan(soon_ms)
    expect(errors).toEqual([])
    end()
  })

  test('a stop waits for the hashing as long as for an upload', async () => {
    const sleep = (ms: number, signal?: AbortSignal) =>
      system_clock.sleep(ms === 30_000 ? 300 : ms, signal)
    const { daemon, errors, end } = await hashing(profile, { ...system_clock, sleep })
    expect(await took_ms(daemon.stop())).toBeLessThan(soon_ms)
    expect(errors).toEqual([])
    end()
  })
})
