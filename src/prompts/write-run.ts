import { isSluiceError } from '../base/errors.ts'
import type { RunFact } from '../domain/run.ts'
import type { RunWork } from '../ledger/prompt-work.ts'
import type { PromptSettings } from './prompt-settings.ts'
import { composeReport, coverageOf } from './report.ts'
import { writeReportFile } from './report-file.ts'
import { nameOf, type RunTools, setBack } from './run-tools.ts'

/** The report of an answered run. What cannot be written is written later, from the same answer: nothing is asked again for it. */
export function writeRun(work: RunWork, settings: PromptSettings, tools: RunTools): RunFact[] {
  const { run } = work
  const zone = settings.schedule.timezone
  const report = composeReport(work, settings, coverageOf(work), zone, tools.clock.now_ms())
  try {
    const report_path = writeReportFile(settings, report, (what) => {
      const why = `it has no room for ${what}; what the prompt was told can be read back from it`
      tools.report.fault(`the manifest of ${nameOf(work)}`, new Error(why))
    })
    return [{ type: 'run_written', run, report_path, targets: settings.deliver.map(({ name }) => name) }]
  } catch (error) {
    if (!isSluiceError(error, 'prompts.report_unwritable')) throw error
    return [setBack(work, { code: error.code, message: error.message }, tools)]
  }
}
