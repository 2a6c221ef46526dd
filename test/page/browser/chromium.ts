import { existsSync } from 'node:fs'
import {
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import type { PageStore } from '../../../src/page/access/page-store.ts'

const program = '/usr/bin/chromium'
/** The reason why no browser is tried; undefined if one is. */
export const no_browser = existsSync(program) ? undefined : `${program} is not installed`
// Skipped tests print no reason. `.ci/run` installs a browser, so there it must not be missing.
if (no_browser && process.env.CI)
  throw new Error(`the tests with a browser cannot run: ${no_browser}`)
if (no_browser) console.warn(`the tests with a browser are skipped: ${no_browser}`)

/**
 * A browser of its own, which knows nobody yet. At the end of the test its console must be without
 * errors and breaches of the policy, except `expected` ones, and it must have asked no other host.
 */
export async function openBrowser({
  expected = /$^/,
  ...options
}: BrowserContextOptions & { expected?: RegExp } = {}) {
  const args = [
    '--no-sandbox',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-dev-shm-usage',
    '--host-resolver-rules=MAP page.example 127.0.0.1',
  ]
  const browser = await chromium.launch({ executablePath: program, args })
  const context = await browser.newContext(options)
  const met: string[] = []
  context.on('console', (line) => {
    const text = `${line.type()}: ${line.text()} (${line.location().url})`
    if (/^(error|warning)/.test(text) && !expected.test(text)) met.push(text)
  })
  context.on('weberror', (error) => met.push(String(error.error())))
  context.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url())
    if (!/^(127\.0\.0\.1|localhost|page\.example)$/.test(hostname))
      met.push(`a request to ${protocol}//${hostname}`)
  })
  onTestFinished(async ({ task }) => {
    await browser.close()
    if (task.result?.state !== 'fail') expect(met, 'what the browser met').toEqual([])
  })
  return context
}

/** A tab that signed in by a one-time link. */
export async function signedIn(
  context: BrowserContext,
  address: string,
  store: PageStore,
): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${address}/link/${store.makeLink()}`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  return page
}
