import type { Failure } from '../remote/outcome.ts'

/** What is wrong with the service beyond any one run, as far as a run must know it. One for the whole daemon. */
export interface Circuit {
  /** How many calls may be begun now: 0 while everything rests, 1 as a probe whose end must be told. */
  allowance(hosts: readonly ['api']): { limit: number; wait_ms: number; except_projects: string[] }
  /** `hold`: the service, the account or the project is at fault, and the run keeps its state. */
  failed(failure: Failure, project_id: string, host: 'api'): Promise<'hold' | 'count'>
  succeeded(project_id: string, host: 'api'): Promise<void>
  /** The probe found nothing to ask. */
  unused(): void
}
