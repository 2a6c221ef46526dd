import { SluiceError } from '../base/errors.ts'
import { backoff_ms, type Clock, minute_ms, second_ms } from '../base/time.ts'
import type { Failure, FailureAbout, Outcome } from '../remote/outcome.ts'

/** Somebody waits at a terminal: a service that rests for longer is named, and the comparison ends without it. */
const tries_most = 5
const longest_wait_ms = minute_ms
const retry = { first_ms: second_ms, most_ms: 15 * second_ms }

const passing: readonly FailureAbout[] = ['network', 'later']
const of_all: readonly FailureAbout[] = ['account', 'project', 'network', 'later']

/**
 * Asks until there is an answer, or it is plain that none comes. Answers the outcome where the failure is about what was asked
 * alone. Errors: `account.refused`, `project.refused`, `answer.unreachable`, `answer.stopped`.
 */
export async function ask<Value>(
  call: () => Promise<Outcome<Value>>,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<Outcome<Value>> {
  for (let tried = 0; ; tried += 1) {
    if (signal.aborted) throw stopped()
    const outcome = await call()
    if (outcome.ok || !of_all.includes(outcome.failure.about)) return outcome
    const { failure } = outcome
    const wait_ms = failure.retry_after_ms ?? backoff_ms(tried, retry)
    if (!passing.includes(failure.about) || tried + 1 >= tries_most || wait_ms > longest_wait_ms) throw faultOf(failure)
    await clock.sleep(wait_ms, signal)
  }
}

export function stopped(): SluiceError {
  return new SluiceError({ code: 'answer.stopped', message: 'stopped before everything was compared' })
}

/** What happened, in the service's own words where it has some. */
export function wordsOf({ message, humane }: Failure): string {
  return humane === undefined ? message : `${message}: ${humane}`
}

function faultOf(failure: Failure): SluiceError {
  const message = wordsOf(failure)
  if (failure.about === 'account') {
    const hint = '`sluice doctor` says where the token comes from; nothing was called missing'
    return new SluiceError({ code: 'account.refused', message, hint })
  }
  if (failure.about === 'project') {
    const hint = 'check the project_id, and that the token reaches it; nothing was called missing'
    return new SluiceError({ code: 'project.refused', message, hint })
  }
  const hint = 'nothing was called missing; run it again when the service answers (`sluice doctor` tries each step)'
  return new SluiceError({ code: 'answer.unreachable', message, hint })
}
