import type { RunFact } from '../domain/run.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { PromptSettings } from './prompt-settings.ts'
import { restoreTold } from './report/restore-told.ts'
import type { PromptReport } from './run-tools.ts'

/**
 * Facts about all prompts of the config. For prompts without any run in the ledger, they include
 * what the reports on disk cover. All go into one transaction: a prompt that is known without its
 * reports would cover their files again. The caller records them before any prompt may become due.
 */
export async function factsOfPrompts(
  ledger: Ledger,
  prompts: readonly PromptSettings[],
  report: PromptReport,
): Promise<RunFact[]> {
  const known = new Set((await ledger.prompts()).filter(({ is_new }) => !is_new).map(({ name }) => name))
  const told: RunFact[] = []
  for (const settings of prompts) if (!known.has(settings.name)) told.push(...(await toldBefore(settings, report)))
  const facts = prompts.map(({ name, project_id, schedule, first_run }) => ({
    name,
    project_id,
    schedule: `${schedule.cron} ${schedule.timezone}`,
    first_run,
  }))
  return [{ type: 'prompts_configured', prompts: facts }, ...told]
}

async function toldBefore(
  { name, project_id, report: { dir } }: PromptSettings,
  report: PromptReport,
): Promise<RunFact[]> {
  const { facts, bad } = await restoreTold(dir, { prompt: name, project_id })
  for (const { path, why } of bad)
    report.fault(`what ${name} was told, from ${path}: it may be told again`, new Error(why))
  return facts
}
