import { serveCalls } from '../base/run/thread.ts'
import { type CoveredOf, readCoveredHere } from './configure-prompts.ts'
import type { PromptSettings } from './prompt-settings.ts'
import { type WrittenReport, writeReportFile } from './report/report-file.ts'

serveCalls(() => ({
  write: ({ settings, report }: { settings: PromptSettings; report: WrittenReport }) =>
    writeReportFile(settings, report),
  covered: ({ dir, of }: { dir: string; of: CoveredOf }) => readCoveredHere(dir, of),
}))
