import { onTestFinished } from 'vitest'
import { system_clock } from '../../src/base/time/time.ts'
import type { Ticket } from '../../src/domain/asset.ts'
import type { Failure, Outcome } from '../../src/remote/outcome.ts'
import { createRemote, type Remote, type RemoteOptions } from '../../src/remote/remote.ts'

const tail = '0123456789abcdefghij'
export const token = `pat_${'SecretSecret'.repeat(2)}12345678`
export const project_id = `project_${tail}`
export const asset_id = `asset_${tail}`
export const label_id = `label_${tail}`
export const chat_id = `chat_${tail}`
export const message_id = `message_${tail}`

/** The id of a kind with this number. */
export function idNumber(kind: string, number: number): string {
  return `${kind}_${String(number).padStart(20, '0')}`
}

export function remoteAt(base_url: string, changes: Partial<RemoteOptions> = {}): Remote {
  const remote = createRemote({
    base_url,
    token: () => token,
    connections: 4,
    user_agent: 'sluice-test',
    clock: system_clock,
    ...changes,
  })
  onTestFinished(() => remote.close())
  return remote
}

export function ticketFor(upload_url: string, upload_headers: Record<string, string> = {}): Ticket {
  return {
    upload_url,
    upload_method: 'PUT',
    upload_headers,
    expires_at_ms: system_clock.now_ms() + 60_000,
  }
}

export function successOf<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`a failure: ${JSON.stringify(outcome.failure)}`)
  return outcome.value
}

export function failureOf(outcome: Outcome<unknown>): Failure {
  if (outcome.ok) throw new Error(`no failure: ${JSON.stringify(outcome.value)}`)
  return outcome.failure
}
