import { isNoAnswer } from '../../base/files/ask-paths.ts'
import { callApart } from '../../base/files/call-apart.ts'
import { isSluiceError } from '../../base/run/errors.ts'
import type { RunFact } from '../../domain/run.ts'
import { withRemoved } from '../../domain/run-progress.ts'
import type { RunWork } from '../../ledger/prompt-work.ts'
import { emptyWhy } from '../plan/empty-run.ts'
import { planRun } from '../plan/plan-run.ts'
import type { PromptSettings } from '../prompt-settings.ts'
import { composeReport, coverageOf } from '../report/report.ts'
import { writeReportFile } from '../report/report-file.ts'
import { toldFiles } from '../report/told.ts'
import { defer, nameOf, type RunTools } from '../run-tools.ts'
import { askTurn } from './ask-turn.ts'
import { awaitAnswer } from './await-answer.ts'
import { awaitFiles } from './await-files.ts'
import { findTurn } from './find-turn.ts'
import { removePartChats, titlePart } from './part-chats.ts'

/**
 * Does one step of one run: wait for its files, plan, ask, wait for the answer, or write the
 * report. A step ends in facts, so that a run continues from there after a crash. No facts: the
 * service is at fault or the daemon stops, and the run keeps its state.
 */
export async function answerRun(work: RunWork, tools: RunTools): Promise<void> {
  const settings = tools.prompts.get(work.prompt)
  const facts = settings ? await stepOf(work, settings, tools) : [unconfigured(work)]
  if (facts.length === 0) return
  await tools.ledger.record(facts)
  for (const fact of facts) {
    logFact(fact, work, tools)
    if (fact.type === 'turn_asked') await titlePart(work, fact.chat_id, tools)
  }
}

async function stepOf(
  work: RunWork,
  settings: PromptSettings,
  tools: RunTools,
): Promise<RunFact[]> {
  switch (work.state) {
    case 'due':
      return (await awaitFiles(work, settings, tools)) ? planRun(work, settings, tools) : []
    case 'planned':
      return askTurn(work, settings, tools)
    case 'asking':
      return findTurn(work, settings, tools)
    case 'asked':
      return awaitAnswer(work, settings, tools)
    case 'answered':
      return writeRun(work, settings, tools)
  }
}

/** This is only a guard: when a config loses a prompt, the ledger ends its open runs. */
function unconfigured({ run, prompt }: RunWork): RunFact {
  const message = `the prompt ${prompt} is no longer in the configuration`
  return { type: 'run_failed', run, error: { code: 'prompt.unconfigured', message } }
}

function logFact(fact: RunFact, work: RunWork, { report }: RunTools): void {
  const name = nameOf(work)
  if (fact.type === 'turn_asked') report.asked(name)
  else if (fact.type === 'turn_answered') report.answered(name)
  else if (fact.type === 'run_written') report.written(name, fact.report_path)
  else if (fact.type === 'run_skipped') report.skipped(fact.why, name)
  else if (fact.type === 'run_failed') report.failed(fact.error.message, name)
  else if (fact.type === 'turn_lost') report.later(fact.why, name)
  else if (fact.type === 'run_deferred' || fact.type === 'turn_unsent')
    report.later(fact.error.message, name)
}

/** Writes the report of an answered run. A retry uses the same answer and asks nothing again. */
async function writeRun(
  work: RunWork,
  settings: PromptSettings,
  tools: RunTools,
): Promise<RunFact[]> {
  const { run } = work
  const removed_chats = await removePartChats(work, tools)
  if (tools.hard.aborted) return []
  const empty = emptyWhy(toldFiles(work), work.turns, work.last_answer)
  const ended = { ...work, turns: withRemoved(work.turns, removed_chats), empty }
  const made = { now_ms: tools.clock.now_ms(), page_url: tools.page_url }
  const report = composeReport(ended, settings, coverageOf(work), made)
  try {
    const { path: report_path, left_out } = await callApart(settings.report.dir, {
      module: 'prompts/report-process',
      method: 'write',
      argument: { settings, report },
      here: () => writeReportFile(settings, report),
    })
    if (left_out !== undefined) {
      const why = `it is too large for ${left_out}; it still lists every file that the report covers`
      tools.report.fault(`the manifest of ${nameOf(work)}`, new Error(why))
    }
    const targets = settings.deliver.map(({ name }) => name)
    const left = report.manifest.left.map(({ asset_id }) => asset_id)
    return [
      {
        type: 'run_written',
        run,
        report_path,
        targets,
        left,
        removed_chats,
        ...(empty && { empty }),
      },
    ]
  } catch (error) {
    if (!isSluiceError(error, 'prompts.report_unwritable') && !isNoAnswer(error)) throw error
    return [defer(work, { code: error.code, message: error.message }, tools)]
  }
}
