import { chmodSync, readFileSync } from 'node:fs'
import { request } from 'node:https'
import { expect, test } from 'vitest'
import { system_clock } from '../../src/base/time/time.ts'
import { openPageStore } from '../../src/page/access/page-store.ts'
import { openPage } from '../../src/page/open-page.ts'
import { makeCertificates } from '../../src/service/tls/make-certificates.ts'
import { configOf } from '../rig/config-of.ts'
import { makeStore } from '../rig/tree.ts'
import { within } from '../rig/waiting.ts'

test('with TLS of its own the cookie is for TLS alone; a key that others can read is refused', async () => {
  const { cert, key, ca } = makeCertificates(makeStore(), ['127.0.0.1'], system_clock)
  const state_dir = makeStore()
  const page = { listen: '127.0.0.1:0', tls_cert: cert, tls_key: key }
  const service = {
    base_url: 'http://127.0.0.1:1',
    project_id: 'project_0123456789abcdefghij',
    token_file: '/t',
  }
  const config = configOf({
    service,
    state_dir,
    folders: [{ name: 'docs', path: makeStore() }],
    page,
  })
  chmodSync(key, 0o640)
  const open = () => openPage({ config, clock: system_clock, log: () => {} })
  await expect(open()).rejects.toMatchObject({ code: 'page.tls', hint: `chmod 600 ${key}` })
  chmodSync(key, 0o600)
  const opened = await open()
  const store = openPageStore(state_dir, system_clock)
  const headers = {
    origin: new URL(opened.address).origin,
    'content-type': 'application/x-www-form-urlencoded',
  }
  const options = { method: 'POST', headers, ca: readFileSync(ca), agent: false }
  const answered = new Promise<string[] | undefined>((resolve, reject) => {
    const sent = request(`${opened.address}link`, options, (answer) =>
      resolve(answer.resume().headers['set-cookie']),
    )
    sent.on('error', reject).end(`link=${store.makeLink()}`)
  })
  expect(await within('the sign-in', answered)).toEqual([
    expect.stringMatching(/HttpOnly; Secure; SameSite=Strict/),
  ])
  store.close()
  await opened.close()
})
