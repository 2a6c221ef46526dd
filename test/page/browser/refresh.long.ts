import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { until } from '../../rig/waiting.ts'
import { beginPage } from '../page-rig.ts'
import { no_browser, openBrowser, signedIn } from './chromium.ts'

const red = 'rgb(168, 38, 29)'

interface Loaded {
  name: string
  transferSize: number
  encodedBodySize: number
}

/** What the screen loaded, and refreshed, with the bytes that went over the line. */
async function loadedBy(page: Page): Promise<Loaded[]> {
  const entries = `performance.getEntriesByType('resource').map((entry) => entry.toJSON())`
  return (await page.evaluate(entries)) as Loaded[]
}

describe.skipIf(no_browser)('a screen that stays open', () => {
  test('says in red that it is old while it cannot be refreshed, and only so long', async () => {
    const { journey, store, address, stop, start } = await beginPage()
    const page = await signedIn(
      await openBrowser({ expected: /ERR_|htmx:(afterRequest|sendError)/ }),
      address,
      store,
    )
    const bar = page.getByRole('alert').getByText('What it shows may be old')
    expect(await bar.isVisible()).toBe(false)
    await stop()
    await bar.waitFor()
    expect(
      await page.evaluate(`getComputedStyle(document.getElementById('lost')).backgroundColor`),
    ).toBe(red)
    await start()
    await bar.waitFor({ state: 'hidden' })
    journey.write({ 'docs/minutes.txt': 'what was said' })
    await page.locator('.verdict').getByText('2 files').waitFor()
  })

  test('loads its style and scripts once, and sends nothing where nothing changed', async () => {
    const { store, address } = await beginPage()
    const page = await signedIn(await openBrowser(), address, store)
    await page.goto(`${address}/problems`)
    const refreshes = async () =>
      (await loadedBy(page)).filter(({ name }) => name.endsWith('/problems'))
    await until('two refreshes', async () => (await refreshes()).length >= 2)
    // Of an answer 304 only the header went over the line.
    for (const { transferSize, encodedBodySize } of await refreshes())
      expect(transferSize).toBeLessThan(encodedBodySize)
    const assets = (await loadedBy(page)).filter(({ name }) => name.includes('/assets/'))
    expect(assets.length).toBeGreaterThanOrEqual(3)
    expect(assets.filter(({ transferSize }) => transferSize > 0)).toEqual([])
  })

  test('counts days in the zone of its reader, and keeps what was typed', async () => {
    const { store, address } = await beginPage()
    const page = await signedIn(
      await openBrowser({ timezoneId: 'Pacific/Kiritimati' }),
      address,
      store,
    )
    await page.goto(`${address}/files`)
    await page.getByText('(days in Pacific/Kiritimati)').waitFor()
    await page.getByLabel('Part of a name or path').fill('plan')
    const monday = page.getByRole('link', { name: 'since Monday' })
    await until('the link has it', async () =>
      (await monday.getAttribute('href'))!.includes('q=plan'),
    )
    await monday.click()
    await page.waitForURL(/since=\d/)
    expect(await page.getByLabel('Part of a name or path').inputValue()).toBe('plan')
    expect(await page.getByLabel('Came in since').inputValue()).toMatch(/^\d{4}-\d\d-\d\d$/)
    await page.getByRole('link', { name: 'plan.txt' }).waitFor()
  })

  test('shows times in the zone of its reader', async () => {
    const { store, address } = await beginPage()
    const page = await signedIn(
      await openBrowser({ timezoneId: 'Asia/Kathmandu', locale: 'en-GB' }),
      address,
      store,
    )
    const scan = page.locator('main time').first()
    const at = new Date((await scan.getAttribute('datetime'))!)
    const there = at.toLocaleTimeString('en-GB', {
      timeZone: 'Asia/Kathmandu',
      hour: '2-digit',
      minute: '2-digit',
    })
    expect(await scan.textContent()).toContain(there)
  })
})
