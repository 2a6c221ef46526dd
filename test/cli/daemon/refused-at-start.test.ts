import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openReceiver } from '../../daemon/health/receiver.ts'
import { Home } from '../sluice.ts'

test('a token that is refused at the start: the daemon delivers the alert, then ends with 77', async () => {
  const { url, received } = await openReceiver()
  const home = await Home.make({ 'a.txt': 'one' })
  const file = join(home.path, 'sluice.yaml')
  const config = JSON.parse(readFileSync(file, 'utf8')) as object
  writeFileSync(file, JSON.stringify({ ...config, alerts: { deliver: [{ webhook: { url } }] } }))
  home.giveToken(`pat_${'x'.repeat(32)}`)
  const { code, err } = await home.sluice('run')
  expect([code, err]).toEqual([77, expect.stringContaining('the service refuses the token')])
  expect(received.map(({ body }) => body.data)).toEqual([
    expect.objectContaining({ problems: [expect.objectContaining({ kind: 'account' })] }),
  ])
  expect((await home.sluice('run')).code).toBe(77)
  expect(received).toHaveLength(1)
})
