import { expect, test } from 'vitest'
import { Home } from '../sluice.ts'

test('a service that does not answer: the pass gives up after half a minute, gives the reason, and loses nothing', async () => {
  const home = await Home.make({ 'a.txt': 'one' })
  // No program listens on port 9 (discard).
  home.configure({ service: { base_url: 'http://127.0.0.1:9' } })
  const { code, out, err } = await home.sluice('sync')
  expect([code, out]).toEqual([
    3,
    expect.stringMatching(/^on the way 1 file, 3 B\n.*the service: .*127\.0\.0\.1:9/m),
  ])
  expect(err).toContain('the next run uploads the rest')
  home.configure()
  expect((await home.sluice('sync')).code).toBe(0)
  expect(home.readyAssets()).toBe(1)
}, 120_000)
