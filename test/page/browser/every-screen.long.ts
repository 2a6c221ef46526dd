import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { axeFaults } from './axe.ts'
import { no_browser, openBrowser, signedIn } from './chromium.ts'
import { beginFullPage, paths } from './full-page.ts'

const wide = { width: 1_280, height: 900 }
const narrow = { width: 360, height: 740 }

/** Opens each screen in turn, and before them what somebody sees who is not signed in. */
async function onEachScreen(
  options: BrowserContextOptions,
  check: (page: Page, path: string) => Promise<void>,
) {
  const { store, address } = await beginFullPage()
  const context = await openBrowser({ expected: /\/not-there\)$/, ...options })
  const stranger = await context.newPage()
  await stranger.goto(`${address}/link/${store.makeLink()}`)
  await check(stranger, 'sign-in by link')
  const page = await signedIn(context, address, store)
  for (const path of [...paths, '/not-there']) {
    await page.goto(`${address}${path}`)
    await check(page, path)
  }
}

describe.skipIf(no_browser)('every screen', () => {
  test.each(['light', 'dark'] as const)('has nothing that axe finds (%s)', async (colorScheme) => {
    const faults: string[] = []
    await onEachScreen({ bypassCSP: true, colorScheme, viewport: wide }, async (page, path) => {
      faults.push(...(await axeFaults(page)).map((fault) => `${path}: ${fault}`))
    })
    expect(faults).toEqual([])
  })

  test.each([true, false])(
    'fits into narrow and wide windows (script: %s)',
    async (javaScriptEnabled) => {
      await onEachScreen({ javaScriptEnabled }, async (page, path) => {
        for (const viewport of [wide, narrow]) {
          await page.setViewportSize(viewport)
          const width = await page.evaluate('document.documentElement.scrollWidth')
          expect([path, width]).toEqual([path, viewport.width])
        }
      })
    },
  )
})
