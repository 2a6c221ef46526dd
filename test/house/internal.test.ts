import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const source = fileURLToPath(new URL('../../src', import.meta.url))

/**
 * `@internal` marks an export that only tests use. No code of the program keeps the promise that
 * such an export makes, so there should be few. Give the function a file of its own, or let the
 * test use the public function.
 */
const max_internal = 15

/** The files of src that have such exports; a file appears once for each. */
function withInternal(): string[] {
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => {
      const marks = readFileSync(join(source, path), 'utf8').match(/@internal\b/g) ?? []
      return marks.map(() => path)
    })
}

test('src has few exports that only tests use', () => {
  const found = withInternal()
  expect(found.length, `exports with @internal: ${found.join(', ')}`).toBeLessThanOrEqual(
    max_internal,
  )
})
