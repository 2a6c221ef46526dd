import { expect, test } from 'vitest'
import { beginPage } from '../page-rig.ts'
import { no_browser, openBrowser, signedIn } from './chromium.ts'

test.skipIf(no_browser)(
  'a browser signs in by a link and sees a new file get ready without a reload',
  async () => {
    const { journey, store, address } = await beginPage()
    const page = await signedIn(await openBrowser(), address, store)
    const verdict = page.locator('.verdict')
    await verdict.getByText('Everything is in: 1 file').waitFor()
    // A reload would lose this mark.
    await page.evaluate('window.is_same = true')
    journey.write({ 'docs/minutes.txt': 'what was said' })
    await verdict.getByText('Everything is in: 2 files').waitFor()
    expect(await page.evaluate('window.is_same')).toBe(true)
  },
)
