import { spawnSync } from 'node:child_process'
import { chmodSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeTree } from './tree.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))

/** The address of a built module, for a child process. */
export function builtModule(module: string): string {
  return new URL(`../../dist/${module}.js`, import.meta.url).href
}

/**
 * Prefix for the command of a child process that must obey permission bits. Root obeys none, so
 * there the child runs as the owner of this clone without any capability: other users may not reach
 * a clone in a closed home. An ordinary user obeys them anyway. A mode that such a test sets must
 * shut out the owner of a file and other users alike.
 */
export function unprivileged(): readonly string[] {
  if (process.getuid?.() !== 0) return []
  const { uid, gid } = statSync(project)
  const owner = uid === 0 ? [] : [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  return ['setpriv', ...owner, '--bounding-set=-all', '--inh-caps=-all']
}

/**
 * Runs a script that gets `root` as its argument and prints JSON, in a process that obeys
 * permission bits.
 */
export function runUnprivileged(script: string, root: string): unknown {
  const file = join(makeTree({ 'script.mjs': script }), 'script.mjs')
  for (const directory of [root, dirname(file)]) chmodSync(directory, 0o755)
  const [command = '', ...words] = [...unprivileged(), process.execPath, file, root]
  const child = spawnSync(command, words, { encoding: 'utf8' })
  if (child.status !== 0) throw child.error ?? new Error(child.stderr)
  return JSON.parse(child.stdout)
}
