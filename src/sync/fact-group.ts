import type { Clock } from '../base/time.ts'
import type { Fact } from '../domain/fact.ts'
import type { Ledger } from '../ledger/ledger.ts'

export type FactGroup = ReturnType<typeof createFactGroup>

/** A quarter of a second of the ledger's time: nobody waits longer for it. Each is one wait for the disk. */
const most_files = 10_000
/** What is known shows, and goes up, not later than this. */
const most_ms = 1_000

/**
 * Hands facts on to the ledger, those of some thousand files at a time: many rounds of a scan in
 * one transaction. A new content's md5 lands anywhere in its index: in transactions of some hundred
 * each would write a page of its own, again and again.
 */
export function createFactGroup(ledger: Pick<Ledger, 'record'>, clock: Clock) {
  let rounds: { facts: readonly Fact[]; isInForce: () => boolean }[] = []
  let files = 0
  let recorded: Promise<void> | undefined
  let flush = () => {}
  let in_hurry = false

  function begin(): Promise<void> {
    const timer = new AbortController()
    const due = new Promise<void>((resolve) => {
      flush = () => {
        timer.abort()
        resolve()
      }
    })
    void clock.sleep(most_ms, timer.signal).then(flush)
    return due.then(() => {
      const gathered = rounds.filter(({ isInForce }) => isInForce()).flatMap(({ facts }) => facts)
      rounds = []
      files = 0
      recorded = undefined
      return ledger.record(gathered)
    })
  }

  return {
    /**
     * Resolves when these are durable, and rejects when they cannot be recorded. `isInForce`: false
     * from when the settings that they were found by have given way to others: what is still
     * gathered then is not recorded at all.
     */
    record(facts: readonly Fact[], isInForce: () => boolean): Promise<void> {
      if (in_hurry) return ledger.record(facts)
      recorded ??= begin()
      const mine = recorded
      rounds.push({ facts, isInForce })
      files += facts.reduce((sum, fact) => sum + (fact.type === 'files_found' ? fact.ends.length : 1), 0)
      if (files >= most_files) flush()
      return mine
    },
    /** Whoever is told to wait has waited long enough: from now on each record goes on at once. */
    hurry() {
      in_hurry = true
      flush()
    },
  }
}
