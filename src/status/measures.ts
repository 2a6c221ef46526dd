import type { Fact } from '../domain/fact.ts'

/** What happens, for whoever counts it. No name of a file and no secret passes here. */
export interface Measures {
  /** They were recorded. */
  facts(facts: readonly Fact[], now_ms: number): void
  /** The bytes of one file are in the service. */
  sent(bytes: number): void
  /** One request to the service or its blob store ended: which call, and ok or what its failure is about. */
  request(call: string, outcome: string): void
}
