import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** What axe finds on a page, as short lines. The context of the page needs `bypassCSP`. */
export async function axeFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; help: string; nodes: { html: string }[] }[]
  }
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' | ')}`,
  )
}
