import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('../../../.ci/node-versions.sh', import.meta.url))
/** Variables of the vitest that runs this test: the other vitest sets its own. */
const {
  TMPDIR: _t,
  SLUICE_TEST_STORES: _s,
  VITEST: _v,
  VITEST_MODE: _m,
  NODE_ENV: _n,
  ...env
} = process.env

/** A release tests the other versions (`npm run test:release`). */
const line = '24'

test(`the quick tests pass on the newest Node ${line}`, { timeout: 900_000 }, async () => {
  const child = spawn(script, [line], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (output += String(chunk)))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  expect(code, output).toBe(0)
  expect(output).toMatch(new RegExp(`^Node v${line}\\.\\d+\\.\\d+, exit 0: \\d{3,} passed`, 'm'))
})
