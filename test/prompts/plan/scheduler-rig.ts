import { hour_ms } from '../../../src/base/time/time.ts'
import type { RunFact } from '../../../src/domain/run.ts'
import type { PromptState } from '../../../src/ledger/prompt-work.ts'
import type { PromptSettings } from '../../../src/prompts/prompt-settings.ts'

export function settings(
  name: string,
  cron: string,
  more: Partial<PromptSettings> = {},
): PromptSettings {
  return {
    name,
    project_id: 'prj',
    schedule: { cron, timezone: 'Europe/Berlin' },
    prompt: 'What is new?',
    intelligence: 'auto',
    provider: undefined,
    skills: [],
    read: 'search',
    public_data: undefined,
    language: 'en',
    scope: {
      folders: [],
      paths: [],
      fresh: 'all',
      labels: [],
      chats: [],
      concepts: [],
      projects: [],
      views: [],
    },
    first_run: 'from_now',
    when_nothing_new: 'skip',
    wait_for_files_ms: 0,
    max_assets: 10,
    when_too_many: 'next_run',
    continue_chat: false,
    catch_up_ms: 6 * hour_ms,
    overlap: 'skip',
    report: { dir: '/reports', file_name: '{{name}}.md' },
    deliver: [],
    ...more,
  }
}

/**
 * The part of the ledger that the scheduler needs: one row for each prompt and due time, and how
 * far each prompt was checked.
 */
export class Runs {
  readonly rows: { prompt: string; due_ms: number; what: string }[] = []
  readonly states = new Map<string, PromptState>()
  refuse: string | undefined

  constructor(began_ms: number, names: readonly string[]) {
    for (const name of names) {
      this.states.set(name, {
        name,
        project_id: 'prj',
        configured: true,
        began_ms,
        began_seq: 0,
        checked_ms: began_ms,
        last_written_due_ms: undefined,
        chat_id: undefined,
        last_skills: undefined,
        open_runs: [],
        is_new: false,
      })
    }
  }

  /** A thing with a refused fact. */
  resting: string | undefined
  rests = (thing: string) => thing === this.resting

  prompts = async () => [...this.states.values()].map((state) => ({ ...state }))

  record = async (facts: readonly RunFact[]) => {
    for (const fact of facts) {
      if (!('prompt' in fact)) continue
      if (fact.prompt === this.refuse) throw new Error('the disk is full')
      const state = this.states.get(fact.prompt)!
      if (fact.type === 'schedule_reset') state.checked_ms = fact.checked_ms
      if (fact.type !== 'run_due' && fact.type !== 'run_passed_over') continue
      state.checked_ms = Math.max(state.checked_ms, fact.due_ms)
      if (this.rows.some((row) => row.prompt === fact.prompt && row.due_ms === fact.due_ms))
        continue
      const what = fact.type === 'run_due' ? fact.cause : 'passed over'
      this.rows.push({ prompt: fact.prompt, due_ms: fact.due_ms, what })
    }
  }

  of(prompt: string): [due_ms: number, what: string][] {
    return this.rows
      .filter((row) => row.prompt === prompt)
      .map(({ due_ms, what }) => [due_ms, what])
  }
}
