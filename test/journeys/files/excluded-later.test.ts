import { expect, test } from 'vitest'
import { begin, localJourneys } from '../rig/harness.ts'

localJourneys('a file that is excluded later', (profile) => {
  test('stays on the disk only, even if it was waiting to be sent', async () => {
    const tree = { 'docs/private/salary.txt': 'a number', 'docs/open.txt': 'hello' }
    const journey = await begin({ profile, tree }, 'not started')
    journey.service.injectFaults({ down: true })
    await journey.start()
    await journey.stage('docs/private/salary.txt', 'reserving')
    await journey.abort()
    journey.service.injectFaults({ down: false })
    await journey.start({ folders: { docs: { exclude: ['private/'] } } })
    await journey.stage('docs/open.txt', 'ready')
    await journey.idle()
    expect(journey.assets().map(({ filename }) => filename)).toEqual(['docs/open.txt'])
    journey.ends({ left_out: ['docs/private/salary.txt'] })
  })
})
