import { chmodSync } from 'node:fs'
import { expect, test } from 'vitest'
import { md5Of } from '../rig/disk-truth.ts'
import { begin, localJourneys } from '../rig/harness.ts'

const tree = { 'docs/open.txt': 'hello', 'docs/hr/pay.txt': 'a number' }

localJourneys('a subfolder with fewer readers', (profile) => {
  test('is named by the scan, and its files are uploaded', async () => {
    const journey = await begin({ profile, tree }, 'not started')
    chmodSync(journey.at('docs'), 0o755)
    chmodSync(journey.at('docs/hr'), 0o700)
    await journey.start()
    await journey.allReady()
    expect(JSON.parse(journey.folder()?.scan_summary ?? '{}')).toMatchObject({
      narrower: [{ path: 'hr', why: 'it is closed to others' }],
    })
  })

  test('stays out with widening: skip, and is uploaded after its permissions are opened', async () => {
    const folders = { docs: { widening: 'skip' } }
    const journey = await begin({ profile, tree, folders }, 'not started')
    chmodSync(journey.at('docs'), 0o755)
    chmodSync(journey.at('docs/hr'), 0o700)
    await journey.start()
    await journey.stage('docs/open.txt', 'ready')
    journey.write({ 'docs/hr/more.txt': 'another number' })
    journey.daemon.rescan()
    await journey.idle()
    expect(Object.keys(journey.stages())).toEqual(['docs/open.txt'])

    chmodSync(journey.at('docs/hr'), 0o755)
    journey.daemon.rescan()
    await journey.stage('docs/hr/pay.txt', 'ready')
    await journey.stage('docs/hr/more.txt', 'ready')

    // After it is closed again no edit in it is uploaded, even before the next scan.
    chmodSync(journey.at('docs/hr'), 0o700)
    journey.write({ 'docs/hr/pay.txt': 'a secret number' })
    await journey.until(
      'the edited file is out of the list',
      () => !('docs/hr/pay.txt' in journey.stages()),
    )
    // All of it leaves the list; its assets stay in the project.
    journey.daemon.rescan()
    await journey.until('it is out of the list', () => Object.keys(journey.stages()).length === 1)
    journey.ends({
      left_out: ['docs/hr/pay.txt', 'docs/hr/more.txt'],
      also_there: [md5Of('a number'), md5Of('another number')],
    })
  })
})
