import { expect, test } from 'vitest'
import { begin, localJourneys } from '../rig/harness.ts'

const tree = { 'docs/a.txt': 'a', 'docs/sub/b.txt': 'b', 'docs/c.txt': 'a', 'docs/empty.txt': '' }

localJourneys('a single pass', (profile) => {
  test('ends when every file is ready', async () => {
    const journey = await begin({
      profile,
      tree,
      mode: 'once',
      service: { ingest: { delay_ms: 200 } },
    })
    expect(await journey.drained()).toEqual({ why: 'done' })
    expect(journey.stages()).toEqual({
      'docs/a.txt': 'ready',
      'docs/c.txt': 'ready',
      'docs/empty.txt': 'skipped empty',
      'docs/sub/b.txt': 'ready',
    })
    journey.ends({ left_out: ['docs/empty.txt'] })
  })

  test('ends at once when there is nothing to do', async () => {
    const journey = await begin({ profile, tree: {}, mode: 'once' })
    expect(await journey.drained()).toEqual({ why: 'done' })
    expect(journey.service.requestLog).toEqual([])
  })

  test('ends when the remaining files wait for a user', async () => {
    const upload_limit = { files: 1, bytes: '1GB' }
    const journey = await begin({
      profile,
      tree,
      mode: 'once',
      config: { uploads: { limit: upload_limit } },
    })
    expect(await journey.drained()).toEqual({ why: 'done' })
    expect(journey.assets()).toHaveLength(1)
    journey.ends({
      left_out: Object.keys(tree).filter((name) => journey.file(name)?.stage !== 'ready'),
    })
  })

  test('gives up when the token or the project is refused', async () => {
    const journey = await begin({ profile, tree, mode: 'once' }, 'not started')
    const project_id = `project_${'0123456789'.repeat(2)}`
    await journey.start({ service: { project_id } })
    expect(await journey.drained()).toMatchObject({ why: 'project' })
    journey.service.tokens.revoke('daemon')
    await journey.restart()
    expect(await journey.drained()).toMatchObject({ why: 'account' })
    expect(journey.files().filter(({ error_code }) => error_code !== null)).toEqual([])
    journey.giveToken('daemon, new')
    await journey.restart()
    expect(await journey.drained()).toEqual({ why: 'done' })
    journey.ends({ left_out: ['docs/empty.txt'] })
  })

  test('uploads a folder completely after it was offline for one pass', async () => {
    const journey = await begin({ profile, tree, mode: 'once' })
    await journey.drained()
    journey.write({ 'docs/new.txt': 'new' })
    journey.service.tokens.revoke('daemon')
    await journey.restart()
    expect(await journey.drained()).toMatchObject({ why: 'account' })
    journey.giveToken('daemon, new')
    journey.move('docs', 'away')
    await journey.restart()
    await journey.drained()
    expect(journey.folder()?.offline_reason).toMatch(/does not exist \(not mounted\?\)$/)
    journey.move('away', 'docs')
    await journey.restart()
    expect(await journey.drained()).toEqual({ why: 'done' })
    expect(journey.file('docs/new.txt')?.stage).toBe('ready')
    journey.ends({ left_out: ['docs/empty.txt'] })
  })
})
