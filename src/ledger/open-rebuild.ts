import { SluiceError } from '../base/errors.ts'
import { conditionOfLedger } from './backup.ts'
import { isRebuildOpen, rebuildDirectory } from './state-directory.ts'

/**
 * A ledger that is filled while a rebuild is not at its end would stand in its way: the rebuild would be refused, and what it has
 * found dropped. Error `config.rebuild_open`: like a configuration that is not right it stays so until a person acts, and a
 * service manager is not to start again and again. The caller holds the lock.
 */
export function refuseOpenRebuild(state_dir: string): void {
  if (!isRebuildOpen(state_dir) || conditionOfLedger(state_dir) !== 'none') return
  throw new SluiceError({
    code: 'config.rebuild_open',
    message: `a rebuild of the ledger in ${state_dir} is not finished, and there is no other ledger`,
    hint: `\`sluice rebuild\` goes on with it; to begin with an empty ledger instead, remove ${rebuildDirectory(state_dir)}`,
  })
}
