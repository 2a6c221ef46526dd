import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { system_clock } from '../../../src/base/time/time.ts'
import { freePort } from '../../../src/cli/free-port.ts'
import { makeCertificates } from '../../../src/service/tls/make-certificates.ts'
import { makeTree } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'
import { no_browser, openBrowser, signedIn } from './chromium.ts'
import { beginFullPage } from './full-page.ts'

const no_nginx = spawnSync('which', ['nginx']).status === 0 ? undefined : 'nginx is not installed'
if (no_nginx) console.warn(`the page behind nginx is not tried: ${no_nginx}`)

/** The example of docs/page.md, with other ports, files and names, and these changes. */
async function startNginx(
  port: number,
  page: string,
  changes: Record<string, string> = {},
): Promise<void> {
  const folder = makeTree()
  const { cert, key } = makeCertificates(join(folder, 'tls'), ['page.example'], system_clock)
  const [, example] = /```nginx\n([\s\S]*?)```/.exec(readFileSync('docs/page.md', 'utf8'))!
  const made = {
    '443': String(port),
    'example.com': 'page.example',
    '/etc/ssl/sluice.pem': cert,
    '/etc/ssl/sluice.key': key,
    '127.0.0.1:8470': new URL(page).host,
    ...changes,
  }
  let text = example!
  for (const [from, to] of Object.entries(made)) {
    if (!text.includes(from)) throw new Error(`the example of docs/page.md does not name ${from}`)
    text = text.replaceAll(from, to)
  }
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const around = `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${places.join(' ')}`
  writeFileSync(join(folder, 'nginx.conf'), `${around}\n${text}}\n`)
  const nginx = spawn('nginx', ['-e', 'stderr', '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  nginx.stderr.setEncoding('utf8').on('data', (line) => {
    said += line
  })
  const ended = once(nginx, 'close')
  onTestFinished(async () => {
    nginx.kill()
    await ended
  })
  const probe = () =>
    spawnSync('openssl', ['s_client', '-connect', `127.0.0.1:${port}`], { input: '' }).status === 0
  await until('nginx listens', probe, () => said)
}

describe.skipIf(no_browser ?? no_nginx)('behind nginx, below a path, with TLS', () => {
  test('every link and form stays below the path; the cookie is for TLS and the path only', async () => {
    const port = await freePort()
    const base_url = `https://page.example:${port}/sluice`
    const { journey, store, address } = await beginFullPage({ page: { base_url } })
    await startNginx(port, address)
    const context = await openBrowser({ ignoreHTTPSErrors: true })
    const page = await signedIn(context, base_url, store)
    const safe = { secure: true, sameSite: 'Strict' }
    const cookies = (await context.cookies()).sort((a, b) => a.name.localeCompare(b.name))
    expect(cookies).toMatchObject([
      { name: 'sluice_page', path: '/sluice', httpOnly: true, ...safe },
      { name: 'sluice_zone', path: '/sluice/', ...safe },
    ])
    for (const name of ['Files', 'Problems', 'Reports', 'Ask', 'About', 'Overview']) {
      await page.getByRole('navigation').getByRole('link', { name }).click()
      expect(page.url()).toMatch(`${base_url}/`)
    }
    await page.getByText('2 files ready').waitFor()
    journey.write({ 'docs/minutes.txt': 'what was said' })
    await page.getByText('3 files ready').waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Problems' }).click()
    await page.getByRole('button', { name: 'Retry' }).first().click()
    await page.getByRole('status').waitFor()
    expect(page.url()).toBe(`${base_url}/problems`)
  })

  test('the user whom the proxy names is signed in, with the folders of theirs', async () => {
    const port = await freePort()
    const base_url = `https://page.example:${port}/sluice`
    const proxy = { from: ['127.0.0.1'], user_header: 'Remote-User', groups_header: undefined }
    const { store, address } = await beginFullPage({ page: { base_url, proxy } })
    store.putUser({ name: 'ada', role: 'reader', folders: ['docs'] })
    const users = join(makeTree(), 'users')
    writeFileSync(users, 'ada:{PLAIN}correct horse\n')
    await startNginx(port, address, {
      'proxy_set_header Remote-User "";': `auth_basic page; auth_basic_user_file ${users}; proxy_set_header Remote-User $remote_user;`,
    })
    const httpCredentials = { username: 'ada', password: 'correct horse' }
    const context = await openBrowser({ ignoreHTTPSErrors: true, httpCredentials, expected: /401/ })
    const page = await context.newPage()
    await page.goto(`${base_url}/`)
    await page.getByText('ada (reader)').waitFor()
    await page.getByRole('link', { name: 'docs' }).waitFor()
    expect(await page.locator('main').textContent()).not.toContain('notes')
    expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0)
  })
})
