import { askingPaths, noAnswer } from '../base/files/ask-paths.ts'
import { type Paths, patienceWith } from '../base/files/paths.ts'
import { isSluiceError } from '../base/run/errors.ts'
import { formatDuration } from '../base/text/format.ts'
import type { Config } from '../config/config.ts'
import { type LoadedConfig, loadConfig } from '../config/load.ts'
import { openSecrets } from '../config/secrets.ts'
import { printNote, printWarning } from './text/print.ts'
import type { Terminal } from './text/terminal.ts'

/** Says what the command waits for. */
export function slowNote(terminal: Terminal): (path: string) => void {
  return (path) => printNote(terminal, `waiting for ${path}, which is slow to answer`)
}

/**
 * As `askingPaths`: a line says what the command waits for, and which path has not answered. The
 * command goes on without what lies there. `known`: earlier answers.
 */
export function onPaths<Value>(
  terminal: Terminal,
  work: (paths: Paths) => Value,
  known?: Paths,
): Promise<Value> {
  const notes = {
    onSlow: slowNote(terminal),
    onSilent(path: string) {
      const text = `${path} has not answered for ${formatDuration(patienceWith(path))}: this goes on without it`
      printWarning(terminal, text)
    },
  }
  return askingPaths(work, notes, known)
}

/**
 * The configuration, the answers of its paths, and what `more` makes of both. Errors: those of
 * `loadConfig`.
 */
export function loadFor<More extends object = object>(
  terminal: Terminal,
  options: Omit<NonNullable<Parameters<typeof loadConfig>[0]>, 'paths'>,
  more?: (loaded: LoadedConfig, paths: Paths) => More,
): Promise<LoadedConfig & { paths: Paths } & More> {
  return onPaths(terminal, (paths) => {
    const loaded = loadConfig({ ...options, paths })
    return { ...loaded, paths, ...more?.(loaded, paths) } as LoadedConfig & { paths: Paths } & More
  })
}

/**
 * The source of the token, or why there is none; never the token itself. `is_named`: a file or
 * variable should have it.
 */
export async function describeToken(config: Pick<Config, 'service'>, terminal: Terminal) {
  try {
    const { secrets, warnings } = await onPaths(terminal, (paths) =>
      openSecrets(config, undefined, paths),
    )
    return { source: secrets.source, fault: null, is_named: true, warnings }
  } catch (error) {
    if (!isSluiceError(error)) throw error
    const { message: fault, code } = error
    return { source: null, fault, is_named: code !== 'account.token_missing', warnings: [] }
  }
}

/** Error `path.no_answer`. */
export async function requireAnswer(path: string): Promise<void> {
  if (await askingPaths((paths) => paths.look(path).is_silent)) throw noAnswer(path)
}
