import type { RunAsset } from '../../../src/domain/run.ts'
import { type Coverage, noChanges } from '../../../src/prompts/plan/coverage.ts'
import { assetOf, md5Of, project_id, type Rig } from '../../ledger/views/view-rig.ts'

/** Runs of prompts, recorded in a ledger in the way of the reporter. */
export class PromptRig {
  readonly #rig: Rig

  constructor(rig: Rig) {
    this.#rig = rig
  }

  configure(...names: string[]): Promise<void> {
    const prompts = names.map((name) => ({
      name,
      project_id,
      schedule: '0 8 * * 1 Europe/Berlin',
      first_run: 'from_now' as const,
      folders: [],
    }))
    return this.#rig.record({ type: 'prompts_configured', prompts })
  }

  async due(
    prompt: string,
    due_ms: number,
    cause: 'schedule' | 'user' = 'schedule',
  ): Promise<number> {
    await this.#rig.record({ type: 'run_due', prompt, due_ms, cause })
    const state = (await this.#rig.ledger.prompts()).find(({ name }) => name === prompt)
    return state!.open_runs.find((run) => run.due_ms === due_ms)!.run
  }

  /** Records an answered and written run; content N is the file `notes/<N>.txt`. */
  async written(
    prompt: string,
    run: {
      due_ms: number
      answer: string
      contents: number[]
      report_path: string
      targets?: string[]
    },
  ): Promise<number> {
    const id = await this.due(prompt, run.due_ms)
    const assets: RunAsset[] = run.contents.map((content) => ({
      content,
      asset_id: assetOf(content),
      md5: md5Of(content),
      size: 10,
      name: `notes/${content}.txt`,
      seq: content,
      arrived_ms: run.due_ms,
      turn: 0,
      times_unread: 0,
    }))
    const body = JSON.stringify({
      prompt: 'what is new?',
      scope: { asset_ids: assets.map((asset) => asset.asset_id) },
    })
    const coverage = JSON.stringify(coverageOf(run.due_ms, assets.length))
    const plan = { bodies: [body], assets, refusals: [], coverage }
    await this.#rig.record({ type: 'run_planned', run: id, plan })
    await this.#rig.record({ type: 'turn_intended', run: id, body })
    const turn = {
      chat_id: `chat_${String(id).padStart(20, '0')}`,
      message_id: `message_${String(id).padStart(20, '0')}`,
    }
    await this.#rig.record({ type: 'turn_asked', run: id, ...turn })
    await this.#rig.record({ type: 'turn_answered', run: id, answer: run.answer })
    const { report_path, targets = [] } = run
    await this.#rig.record({ type: 'run_written', run: id, report_path, targets })
    return id
  }
}

function coverageOf(due_ms: number, count: number): Coverage {
  const none = () => ({ total: 0, files: [] })
  return {
    due_ms,
    ready: count,
    taken: count,
    copies: 0,
    left_for_next: 0,
    left_are: 'next time',
    refused: none(),
    moving: none(),
    on_the_way: none(),
    blocked: none(),
    removed: none(),
    in_part: none(),
    still_refused: none(),
    again: 0,
    ...noChanges(),
    folders: [
      { name: 'notes', scanned_ms: due_ms, scanned_in_time: true, offline_reason: undefined },
    ],
  }
}
