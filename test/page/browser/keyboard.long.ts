import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { no_browser, openBrowser, signedIn } from './chromium.ts'
import { beginFullPage, paths } from './full-page.ts'

/** More stops than the longest screen has. */
const max_stops = 60

interface Stop {
  /** Its place among all elements. */
  at: number
  text: string
  is_outlined: boolean
  is_in_view: boolean
}

/** What the focus is on; undefined if on nothing. A browser scrolls by whole pixels. */
const focused = `(() => {
  const element = document.activeElement
  if (!element || element === document.body) return undefined
  const { left, right, top, bottom, width } = element.getBoundingClientRect()
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  return {
    at: [...document.all].indexOf(element),
    text: element.textContent.trim() || element.name,
    is_outlined: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
    is_in_view: width > 0 && left >= 0 && top >= 0 && right <= innerWidth && bottom < innerHeight + 1,
  }
})()`

/** Counts the frames that are drawn while the focus is on nothing. */
const count_lost_frames = `(function look() {
  globalThis.lost_frames = (globalThis.lost_frames ?? 0) + (document.activeElement === document.body ? 1 : 0)
  requestAnimationFrame(look)
})()`

async function stopsOf(page: Page): Promise<Stop[]> {
  const stops: Stop[] = []
  while (stops.length < max_stops) {
    await page.keyboard.press('Tab')
    const stop = (await page.evaluate(focused)) as Stop | undefined
    // After the last one the focus leaves the page, or begins again.
    if (!stop || (stops.length > 0 && stop.at === stops[0]!.at)) break
    // A date has several stops in one control.
    if (stop.at !== stops.at(-1)?.at) stops.push(stop)
  }
  return stops
}

describe.skipIf(no_browser)('by keyboard alone', () => {
  test('every control of every screen can be reached, in order, with a visible focus', async () => {
    const { store, address } = await beginFullPage()
    const context = await openBrowser({
      viewport: { width: 360, height: 740 },
      javaScriptEnabled: false,
    })
    const page = await signedIn(context, address, store)
    for (const path of paths) {
      await page.goto(`${address}${path}`)
      const controls = await page
        .locator(':is(a[href], button, input:not([type=hidden]), select, textarea):visible')
        .count()
      const stops = await stopsOf(page)
      expect([path, stops.length]).toEqual([path, controls])
      expect(stops[0]!.text).toBe('Skip to the content')
      expect([
        path,
        stops.filter(({ is_outlined, is_in_view }) => !is_outlined || !is_in_view),
      ]).toEqual([path, []])
    }
  })

  test('the skip link leads past the navigation, and a refresh does not take the focus away', async () => {
    const { journey, store, address } = await beginFullPage()
    const page = await signedIn(await openBrowser(), address, store)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(`document.activeElement.closest('main') !== null`)).toBe(true)
    await page.getByRole('link', { name: 'notes' }).focus()
    await page.evaluate(count_lost_frames)
    journey.write({ 'docs/minutes.txt': 'what was said' })
    await page.locator('.verdict').getByText('3 files ready').waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe('notes')
    expect(await page.evaluate('lost_frames')).toBe(0)
  })
})
