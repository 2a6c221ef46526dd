import type { RunFact } from '../domain/run.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { PromptSettings } from './prompt-settings.ts'
import { restoreTold } from './report/restore-told.ts'
import type { PromptReport } from './run-tools.ts'

/**
 * What the ledger is to be told of all prompts of the config, and what those of which it knows no run were told by the reports
 * that lie on the disk: for one transaction, for a prompt that is known without that would tell it again. Recorded before
 * anything of them may come due.
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
