import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runSim } from './days-run.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Three days take three seconds on an idle machine, after the build of the program. */
const patience_ms = 300_000

/** The patches must follow the code that they break. */
test('the planted faults still apply', () => {
  const folder = fileURLToPath(new URL('patches/', import.meta.url))
  for (const patch of readdirSync(folder)) {
    const { status, stderr } = spawnSync('git', ['apply', '--check', folder + patch], {
      cwd: root,
      encoding: 'utf8',
    })
    expect({ patch, status, stderr }).toEqual({ patch, status: 0, stderr: '' })
  }
})

test(
  'three random days end with every file in, once, and every view honest',
  async () => {
    const { status, lines } = await runSim('--no-shrink', '--seeds', '3')
    expect(lines.join('\n')).toMatch(/^3 seeds, 0 red, [\d.]+ s$/)
    expect(status).toBe(0)
  },
  patience_ms,
)
