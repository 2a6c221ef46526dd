import type { Config } from '../../config/config.ts'
import type { Fact } from '../../domain/fact.ts'
import { factsOfPrompts } from '../../prompts/configure-prompts.ts'
import { rulesText } from '../../sync/folder-settings.ts'
import type { Tools } from '../tools.ts'
import type { WorkerSettings } from './generation.ts'

/** Facts that the ledger needs from a config before any of its work can become due. */
export async function factsOfConfig(
  { folders, prompts }: Config,
  { ledger, prompt_report }: Pick<Tools, 'ledger' | 'prompt_report'>,
  asking: WorkerSettings['asking'],
): Promise<Fact[]> {
  return [
    ...folders.map((folder) => ({
      type: 'folder_configured' as const,
      folder: { ...folder, root: folder.path, rules: rulesText(folder) },
    })),
    { type: 'folders_removed_except', names: folders.map(({ name }) => name) },
    ...(asking === 'never' ? [] : await factsOfPrompts(ledger, prompts, prompt_report)),
  ]
}
