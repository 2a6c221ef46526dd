import { expect, test } from 'vitest'
import { agentOf } from './mcp/agent-rig.ts'
import { Browser } from './page-rig.ts'
import { beginSignedIn } from './signed-in.ts'

test('what was done in a session is told to the user who did it alone', async () => {
  const proxy = { from: ['127.0.0.1'], user_header: 'Remote-User', groups_header: undefined }
  const { address } = await beginSignedIn({ folders: { docs: {}, vault: {} }, page: { proxy } })
  const browser = new Browser(address)
  const rescanAs = async (name: string) => {
    browser.headers['remote-user'] = name
    await browser.get('/')
    expect((await browser.post('/rescan', { folder: 'vault' })).status).toBe(303)
  }
  await rescanAs('ada')
  browser.headers['remote-user'] = 'eve'
  expect((await browser.get('/')).text).not.toContain('vault')
  await rescanAs('ada')
  expect((await browser.get('/')).text).toContain('Sluice looks through vault again')
})

test('a reader learns of no trouble of another project, nor what an administrator must do', async () => {
  const { journey, as, address, store } = await beginSignedIn()
  const trouble = (about: string, message: string) => ({
    type: 'trouble_began' as const,
    about,
    error: { code: 'account.refused', message, hint: 'edit /etc/klondike' },
  })
  const own = journey.config().folders[0]!.project_id
  await journey.daemon.ledger.record([
    trouble('project:project_klondike', 'klondike is closed'),
    trouble(`project:${own}`, 'your project is closed'),
    trouble('page', 'cannot read /etc/klondike.pem'),
  ])
  const [operator, reader] = [await as('ada'), await as('eve')]
  const all = (await operator.get('/')).text
  for (const text of ['klondike is closed', 'edit /etc/klondike']) expect(all).toContain(text)
  for (const path of [
    '/',
    '/problems',
    '/files',
    '/file?folder=docs&path=plan.txt',
    '/prompts',
    '/about',
  ])
    expect((await reader.get(path)).text, path).not.toMatch(/klondike/)
  expect((await reader.get('/')).text).toContain('your project is closed')
  const { call } = await agentOf(address, store.makeToken('eve'))
  const { text, data } = await call('why_not', { file: 'docs/plan.txt' })
  expect(`${text}${JSON.stringify(data)}`).not.toMatch(/klondike/)
  const whole = await call('status')
  expect(`${whole.text}${JSON.stringify(whole.data)}`).not.toMatch(/klondike/)
  expect(whole.text).toContain('your project is closed')
})
