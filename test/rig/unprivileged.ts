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
 * Stands before the command of a child process that permission bits must bind. Root is bound by
 * none, so there the child is the owner of this clone without any capability: no other user may be
 * able to reach a clone in a closed home. An ordinary user is bound as it is. A mode that such a
 * test sets must shut out the owner of a file and other users alike.
 */
export function unprivileged(): readonly string[] {
  if (process.getuid?.() !== 0) return []
  const { uid, gid } = statSync(project)
  const owner = uid === 0 ? [] : [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  return ['setpriv', ...owner, '--bounding-set=-all', '--inh-caps=-all']
}

/**
 * Runs a script that gets `root` as its argument and prints JSON, in a process that permission bits
 * bind.
 */
export function runUnprivileged(script: string, root: string): unknown {
  const file = join(makeTree({ 'script.mjs': script }), 'script.mjs')
  for (const directory of [root, dirname(file)]) chmodSync(directory, 0o755)
  const [command = '', ...words] = [...unprivileged(), process.execPath, file, root]
  const child = spawnSync(command, words, { encoding: 'utf8' })
  if (child.status !== 0) throw child.error ?? new Error(child.stderr)
  return JSON.parse(child.stdout)
}
