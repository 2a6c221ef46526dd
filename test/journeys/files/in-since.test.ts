import { renameSync, utimesSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { clockText } from '../../../src/base/time/time.ts'
import { fileAnswer } from '../../../src/inspect/files/known-files.ts'
import { withLedgerView } from '../../../src/status/with-view.ts'
import { md5Of } from '../../ledger/fixture.ts'
import { agentOf } from '../../page/mcp/agent-rig.ts'
import { beginSignedIn } from '../../page/signed-in.ts'
import { localJourneys } from '../rig/harness.ts'

const text = 'the plan of the year'
const tree = { 'docs/plan.txt': text, 'docs/minutes.txt': 'the minutes' }

localJourneys('since when a file is in', (profile) => {
  test('a touch, equal bytes, a save by rename and a restart leave it as it was, on each screen; other bytes do not', async () => {
    const { journey, address, store, as } = await beginSignedIn({ profile, tree })
    const { call } = await agentOf(address, store.makeToken('eve'))
    const browser = await as('eve')
    const state_dir = journey.config().state_dir

    /** What `ls`, `explain`, the page and agents say of the file. */
    const said = async () => {
      const listed = await withLedgerView(state_dir, (view) =>
        view!.files({
          folder: 'docs',
          prefix: 'plan.txt',
          stages: [],
          after: undefined,
          limit: 1,
        }),
      )
      const is_it_in = await call('is_it_in', { file: 'docs/plan.txt' })
      const why_not = await call('why_not', { file: 'docs/plan.txt' })
      const row = /plan\.txt<.*?<\/tr>/s.exec((await browser.get('/files?q=plan.txt')).text)![0]
      expect(is_it_in.text).toContain(
        `in since ${clockText(Date.parse(is_it_in.data.files[0].ready))}`,
      )
      const story = (await browser.get('/file?folder=docs&path=plan.txt')).text
      return [
        fileAnswer(listed[0]!).ready,
        is_it_in.data.files[0].ready,
        why_not.data.times.ready,
        [...row.matchAll(/datetime="([^"]*)"/g)].at(-1)?.[1],
        /datetime="([^"]*)">[^<]*<\/time> ready<\/li>/.exec(story)?.[1],
      ]
    }
    const first = await said()
    expect(new Set(first).size, JSON.stringify(first)).toBe(1)
    const cost = journey.cost()

    const file = journey.at('docs/plan.txt')
    const settled = () => journey.file('docs/plan.txt')!.settled_ms!
    for (const save of [
      () => utimesSync(file, new Date(), new Date()),
      () => writeFileSync(file, text),
      () => {
        writeFileSync(journey.at('docs/.plan.tmp'), text)
        renameSync(journey.at('docs/.plan.tmp'), file)
      },
    ]) {
      const before_ms = settled()
      save()
      await journey.until('it was read again', () => settled() > before_ms)
      await journey.stage('docs/plan.txt', 'ready')
      expect(await said()).toEqual(first)
    }
    await journey.restart()
    await journey.idle()
    expect(await said()).toEqual(first)
    expect(journey.cost(), 'nothing was sent again').toEqual(cost)

    writeFileSync(file, 'another plan')
    await journey.allReady()
    const now = await said()
    expect(new Set(now).size, JSON.stringify(now)).toBe(1)
    expect(now[0]! > first[0]!).toBe(true)
    journey.ends({ also_there: [md5Of(text)] })
  })
})
