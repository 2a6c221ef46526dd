import { describe, expect, test } from 'vitest'
import { until } from '../../rig/waiting.ts'
import { addUser, beginPage } from '../page-rig.ts'
import { no_browser, openBrowser, signedIn } from './chromium.ts'
import { beginFullPage } from './full-page.ts'

const password = 'correct horse'

describe.skipIf(no_browser).each([true, false])('by click (script: %s)', (javaScriptEnabled) => {
  test('an operator tries a file again and runs a prompt', async () => {
    const { journey, store, address } = await beginFullPage()
    const page = await signedIn(await openBrowser({ javaScriptEnabled }), address, store)
    const before = journey.cost().puts
    await page.getByRole('link', { name: 'Problems', exact: true }).click()
    await page.getByRole('button', { name: 'Retry' }).first().click()
    await page.getByRole('status').waitFor()
    await journey.until('the file is sent again', () => journey.cost().puts > before)
    await journey.stage('notes/broken.gz', 'refused')

    journey.write({ 'docs/minutes.txt': 'what was said' })
    await journey.stage('docs/minutes.txt', 'ready')
    await page.getByRole('link', { name: 'Reports', exact: true }).click()
    await page.getByRole('link', { name: 'weekly' }).click()
    await page.getByRole('link', { name: 'Dry run' }).click()
    const asked = journey.requests('chats.start').length
    await page.getByRole('button', { name: 'Run now' }).click()
    await page.getByRole('status').waitFor()
    await journey.until(
      'the assistant is asked again',
      () => journey.requests('chats.start').length > asked,
    )
  })

  test('an operator uploads what the limit holds, asks about it, and follows a source', async () => {
    const limit = { files: 1, bytes: 1_000_000_000 }
    const { journey, store, address } = await beginPage({ config: { uploads: { limit } } })
    journey.write({
      'docs/in/harvest.txt': 'The harvest is in May.',
      'docs/in/pay.txt': 'The pay is high.',
    })
    const isHeld = ({ stage }: { stage: string }) => stage === 'blocked upload_limit'
    await journey.until('both are held', () => journey.files().filter(isHeld).length === 2)
    const page = await signedIn(await openBrowser({ javaScriptEnabled }), address, store)
    await page.getByRole('link', { name: 'Problems', exact: true }).click()
    await page.getByRole('button', { name: 'Upload them' }).click()
    await page.getByRole('status').waitFor()
    await journey.allReady()
    await page.getByRole('link', { name: 'Ask', exact: true }).click()
    await page.getByLabel('Question').fill('When is the harvest?')
    await page.getByLabel('Folder').selectOption('docs')
    await page.getByRole('button', { name: 'Ask' }).click()
    const source = page.getByRole('listitem').getByRole('link', { name: 'docs/in/harvest.txt' })
    if (javaScriptEnabled) await source.waitFor()
    else
      await until('the answer', async () => {
        await page.reload()
        return (await source.count()) > 0
      })
    await source.click()
    await page.getByRole('heading', { level: 1, name: 'harvest.txt' }).waitFor()
    await page.locator('.verdict').getByText('ready').waitFor()
  })

  test('a reader signs in by password, sees the folders of theirs, and changes nothing', async () => {
    const { store, address } = await beginFullPage()
    await addUser(store, { name: 'ada', role: 'reader', folders: ['notes'], password })
    const page = await (await openBrowser({ javaScriptEnabled, expected: /40[134]/ })).newPage()
    await page.goto(`${address}/problems`)
    await page.getByLabel('Name').fill('ada')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('Name or password is wrong').waitFor()
    await page.getByLabel('Name').fill('ada')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Problems' }).waitFor()
    expect(await page.locator('main').textContent()).toContain('broken.gz')
    expect(await page.locator('main button').count()).toBe(0)
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('link', { name: 'notes' }).waitFor()
    expect(await page.locator('main').textContent()).not.toMatch(/docs(?!\/)|weekly/)
    for (const hidden of ['/runs/1', '/prompts/weekly']) {
      const answer = await page.goto(`${address}${hidden}`)
      expect([hidden, answer!.status()]).toEqual([hidden, 404])
    }
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  })
})
