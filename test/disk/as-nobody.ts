import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeTree } from '../tree.ts'

const nobody = 65_534

/** The address of a built module, for a child process. */
export function builtModule(module: string): string {
  return new URL(`../../dist/${module}.js`, import.meta.url).href
}

/**
 * Runs a script that gets `root` as its argument and prints JSON. Permission bits do not bite root, so where the tests run as
 * root the child process runs as nobody.
 */
export function runAsNobody(script: string, root: string): unknown {
  const file = join(makeTree({ 'script.mjs': script }), 'script.mjs')
  for (const directory of [root, dirname(file)]) chmodSync(directory, 0o755)
  const child = spawnSync(process.execPath, [file, root], {
    encoding: 'utf8',
    ...(process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}),
  })
  if (child.status !== 0) throw new Error(child.stderr)
  return JSON.parse(child.stdout)
}
