import { expect, test } from 'vitest'
import { programVersion } from '../../../src/base/run/process.ts'
import { addUser, Browser, beginPage } from '../page-rig.ts'

test('/about shows the configuration to operators of everything only, and no secret of it', async () => {
  const webhook = { webhook: { url: 'https://hooks.example/secret-part' } }
  const prompts = [
    {
      name: 'weekly',
      prompt: 'What is new?',
      cron: '0 7 * * 1',
      scope: { folders: ['docs'] },
      deliver: [webhook],
    },
  ]
  const { store, address } = await beginPage({ config: { prompts } })
  const operator = new Browser(address)
  await operator.useLink(store)
  const { text } = await operator.get('/about')
  expect(text).toContain(programVersion())
  expect(text).toContain('url: https://hooks.example/***')
  expect(text).not.toContain('secret-part')

  const password = 'correct horse'
  await addUser(store, { name: 'ada', role: 'reader', folders: 'all', password })
  await addUser(store, { name: 'bob', role: 'operator', folders: ['docs'], password })
  for (const name of ['ada', 'bob']) {
    const browser = new Browser(address)
    await browser.signIn(name, password)
    const { status, text } = await browser.get('/about')
    expect([status, text.includes(programVersion()), text.includes('hooks.example')]).toEqual([
      200,
      true,
      false,
    ])
    expect(text).not.toContain('state_dir')
  }
})
