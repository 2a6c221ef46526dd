import { expect, test } from 'vitest'
import { max_connections } from '../../../src/config/open-files.ts'
import { pagePlaces } from '../../../src/page/access/guard.ts'

type Page = Parameters<typeof pagePlaces>[0]
const proxy = { from: ['10.1.0.0/16'], user_header: undefined, groups_header: undefined }
const page = { listen: '0.0.0.0:8443', proxy } as unknown as Page

test('one address gets a quarter of the page, unless it is a proxy or this machine', () => {
  const { max, max_an_address, isShared } = pagePlaces(page)
  expect([max, max_an_address]).toEqual([max_connections.page, 50])
  const shared = [
    '127.0.0.1',
    '127.0.0.2',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:10.1.2.3',
    '10.1.2.3',
  ]
  const own = ['10.2.0.1', '::ffff:10.2.0.1', '2001:db8::1', 'fe80::1%eth0']
  expect([...shared, ...own].filter((address) => isShared!(address))).toEqual(shared)
})
