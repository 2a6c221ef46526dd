import { expect, test } from 'vitest'
import { MovingClock } from '../../rig/moving-clock.ts'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'

localJourneys('names on the service', (profile) => {
  const shownAs = async (journey: Journey, asset_id: string) => {
    const { body } = await journey.call('GET', `/v1/assets/${asset_id}`)
    return (body.name ?? body.filename) as string
  }
  const named = (journey: Journey, asset_id: string, name: string) =>
    journey.until(`it is named ${name}`, async () => (await shownAs(journey, asset_id)) === name)

  test('follow a move, and answers cite the new name', async () => {
    const tree = { 'docs/old.txt': 'The harbour opens in May.' }
    const journey = await begin({ profile, folders: { docs: {}, more: {} }, tree })
    await journey.allReady()
    const { asset_id } = journey.file('docs/old.txt')!
    journey.move('docs/old.txt', 'more/2026/new.txt')
    await named(journey, asset_id!, 'more/2026/new.txt')
    await journey.idle()
    expect(journey.cost()).toEqual({ creates: 1, puts: 1 })
    const asked = await journey.call('POST', '/v1/chats', { prompt: 'When does the harbour open?' })
    const path = `/v1/chats/${asked.body.chat_id}/messages/${asked.body.message_id}`
    await journey.until('the answer cites it', async () => {
      const { body } = await journey.call('GET', path)
      return `${body.response}`.includes('**more/2026/new.txt**')
    })
  })

  test('stay while a copy has them, and never replace the name that a user gave', async () => {
    const tree = { 'docs/a.txt': 'a', 'docs/b.txt': 'b' }
    const journey = await begin({ profile, tree })
    await journey.allReady()
    const [a, b] = [journey.file('docs/a.txt')!.asset_id!, journey.file('docs/b.txt')!.asset_id!]
    journey.write({ 'docs/copy.txt': 'a' })
    await journey.stage('docs/copy.txt', 'ready')
    await journey.call('POST', `/v1/assets/${b}`, { name: 'Our plan' })
    journey.move('docs/b.txt', 'docs/c.txt')
    await journey.stage('docs/c.txt', 'ready')
    await journey.idle()
    expect(await shownAs(journey, b)).toBe('Our plan')
    expect(await shownAs(journey, a)).toBe('docs/a.txt')
    journey.remove('docs/a.txt')
    await named(journey, a, 'docs/copy.txt')
  })

  test('that the service refuses stay, and nothing else changes', async () => {
    const clock = new MovingClock({ times: 20 })
    const service = { clock }
    const journey = await begin({ profile, clock, service, tree: { 'docs/a.txt': 'a' } })
    await journey.allReady()
    const { asset_id } = journey.file('docs/a.txt')!
    const failures = [{ route: 'assets.update' as const, status: 403 }]
    journey.service.injectFaults({ failures })
    journey.move('docs/a.txt', 'docs/b.txt')
    await journey.until('it was asked', () => journey.requests('assets.update').length > 0)
    journey.write({ 'docs/c.txt': 'c' })
    await journey.stage('docs/c.txt', 'ready')
    await journey.idle()
    expect(journey.troubles()).toEqual([])
    expect(journey.requests('assets.update')).toHaveLength(1)
    journey.service.injectFaults({ failures: [] })
    await journey.record({ type: 'retried', folder: 'docs', path: '' })
    await named(journey, asset_id!, 'docs/b.txt')
  })
})
