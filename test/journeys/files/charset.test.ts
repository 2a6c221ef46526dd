import { expect, test } from 'vitest'
import { begin, type Journey, localJourneys } from '../rig/harness.ts'
import { startInBetween } from '../rig/in-between.ts'

/** A price in the page of DOS: its letters alone do not show which page. */
const dos = Buffer.from('b\x8cz 5\r\n', 'latin1')
const tree = {
  'docs/dos.txt': dos,
  'docs/dos.csv': Buffer.concat([Buffer.from('a;b\r\n'), dos]),
  'docs/new.txt': 'Größe',
  'docs/page.html': '<p>Size</p>',
}
const folders = { docs: { charset: 'cp850' } }
const bare = { 'docs/new.txt': 'text/plain', 'docs/page.html': 'text/html' }

function typesOf(journey: Journey): Record<string, string> {
  const assets = journey.service.assets(journey.project_id)
  return Object.fromEntries(assets.map(({ filename, mime_type }) => [filename, mime_type]))
}

localJourneys('a folder that names the character set of its texts', (profile) => {
  test('the service learns it for texts that are not in UTF-8', async () => {
    const journey = await begin({ profile, folders, tree })
    await journey.allReady()
    expect(typesOf(journey)).toEqual({
      ...bare,
      'docs/dos.txt': 'text/plain; charset=cp850',
      'docs/dos.csv': 'text/csv; charset=cp850',
    })
    expect(journey.cost()).toEqual({ creates: 4, puts: 4 })
  })

  test('B-39 a service that refuses such a type gets the files without it, at one call more', async () => {
    const journey = await begin({ profile, folders, tree: {} }, 'not started')
    const refused: unknown[] = []
    const { address } = await startInBetween(journey.service.api, {
      instead({ method, path, body }) {
        const is_refused =
          method === 'POST' && path === '/v1/assets' && `${body?.mime_type}`.includes(';')
        if (!is_refused) return undefined
        refused.push(body?.mime_type)
        return {
          status: 415,
          body: { humane: 'no such media type', code: 'publicapi.asset.create.media_type' },
        }
      },
    })
    journey.write({ 'docs/dos.txt': dos })
    await journey.start({ service: { base_url: address } })
    await journey.allReady()
    journey.write({ 'docs/dos.csv': tree['docs/dos.csv'] })
    await journey.allReady()
    expect(refused).toEqual(['text/plain; charset=cp850'])
    expect(typesOf(journey)).toEqual({ 'docs/dos.txt': 'text/plain', 'docs/dos.csv': 'text/csv' })
    expect(journey.cost()).toEqual({ creates: 2, puts: 2 })
    expect(journey.troubles()).toEqual([])
  })
})
