import { expect, test } from 'vitest'
import { beginSignedIn } from './signed-in.ts'

test('an unknown address is answered in plain words', async () => {
  const { as } = await beginSignedIn()
  const { status, text } = await (await as('eve')).get('/not-there')
  expect(status).toBe(404)
  expect(text).toContain('There is no page at this address.')
  expect(text.replace(/<header>.*<\/header>/s, '')).not.toMatch(/GET|path/)
})
