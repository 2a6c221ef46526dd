import { expect, test } from 'vitest'
import { day_ms } from '../../../src/base/time/time.ts'
import { openOffice } from './journey-office.ts'

const weeks = 12

test('a service that says nothing of its reading is asked about each file once in twelve weeks', async () => {
  // A Thursday, because that is a multiple of a week since 1970.
  const office = await openOffice({
    profile: 'hosted',
    every_ms: 7 * day_ms,
    prompt: { cron: '0 0 * * 4', wait_for_files: '1m' },
  })
  /** As the service and the reports name them. */
  const brought: string[] = []
  for (let week = 1; week <= weeks; week++) {
    const names = Array.from({ length: 1 + (week % 3) }, (_, at) => `week-${week}-${at}.txt`)
    await office.bringIn(
      Object.fromEntries(names.map((name) => [name, `The lease ${name} ends in May.\n`])),
    )
    brought.push(...names.map((name) => `docs/${name}`))
    expect(await office.hour()).toMatchObject({ state: 'written', assets: names.length })
  }

  const assets = office.service.assets(office.project_id)
  const nameOf = new Map(assets.map(({ asset_id, filename }) => [asset_id, filename]))
  const messages = office.service.chats(office.project_id).flatMap((chat) => chat.messages)
  expect(messages).toHaveLength(weeks)
  const asked = messages.flatMap(({ scope }) => scope?.asset_ids ?? [])
  expect(asked.map((asset_id) => nameOf.get(asset_id)).toSorted()).toEqual(brought.toSorted())
  expect(office.covered().flat().toSorted()).toEqual(brought.toSorted())
})
