import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Watched } from './rig.ts'

const ways = {
  removed: (state_dir: string) => rmSync(join(state_dir, 'ledger.db')),
  'removed with its directory': (state_dir: string) => rmSync(state_dir, { recursive: true }),
  replaced: (state_dir: string) => {
    copyFileSync(join(state_dir, 'ledger.db'), join(state_dir, 'copy.db'))
    renameSync(join(state_dir, 'copy.db'), join(state_dir, 'ledger.db'))
  },
  'replaced with its directory': (state_dir: string) => {
    renameSync(state_dir, `${state_dir}.old`)
    mkdirSync(state_dir)
    copyFileSync(join(`${state_dir}.old`, 'ledger.db'), join(state_dir, 'ledger.db'))
  },
}

test.each(Object.entries(ways))(
  'a ledger that is %s under the daemon is reported by every endpoint',
  async (way, take) => {
    const watched = await Watched.begin({ has_receiver: true })
    await watched.synced()
    await watched.green()
    take(watched.state_dir)
    const { message, hint } = await watched.redAndReported('ledger')
    expect(message).toContain(
      way.startsWith('removed') ? 'ledger.db was removed while' : 'another file is in the place of',
    )
    expect(hint).toMatch(/^stop the daemon.*sluice restore.*sluice rebuild/)
    const alive = await watched.get('/healthz')
    expect([alive.status, JSON.parse(alive.text)]).toEqual([
      503,
      { alive: false, stuck: [], ledger: message },
    ])
    const { text } = await watched.get('/metrics')
    expect(text).toContain('sluice_healthy 0\n')
    expect(text).toContain('sluice_problems{kind="ledger"} 1\n')
  },
)

test('a ledger that is moved back in time is accepted again', async () => {
  const watched = await Watched.begin()
  const file = join(watched.state_dir, 'ledger.db')
  renameSync(file, `${file}.moved`)
  await watched.red('ledger')
  renameSync(`${file}.moved`, file)
  await watched.green()
  expect((await watched.get('/healthz')).status).toBe(200)
})
