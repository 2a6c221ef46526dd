import { connectControl } from '../../../src/control/control-client.ts'
import { filePath } from '../../../src/domain/file.ts'
import { makeTree } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'
import { ask } from '../crowded-page.ts'
import { Browser, beginPage } from '../page-rig.ts'

const hostile = `<img src=x onerror=alert(1)> "quoted" 'and' a very long name that goes on and on.txt`

/** Every screen, as paths below the address of the page. A new screen gets a line here. */
export const paths = [
  '/',
  '/files',
  '/files?q=plan',
  ...[
    { folder: 'docs', path: 'plan.txt' },
    { folder: 'notes', path: 'broken.gz' },
    { folder: 'notes', path: hostile },
  ].map(filePath),
  '/find?path=docs%2Fplan.log',
  '/find?path=%2Fetc%2Fpasswd',
  '/problems',
  '/prompts',
  '/prompts/weekly',
  '/prompts/weekly/dry-run',
  '/runs/1',
  '/runs/2/diff',
  '/ask',
  '/ask/1',
  '/about',
]

/**
 * A page with two folders, a file that is refused, hostile names, a prompt that has run twice, and
 * an answered question.
 */
export async function beginFullPage(options: Parameters<typeof beginPage>[0] = {}) {
  const when = { cron: '0 7 * * 1', first_run: 'all', wait_for_files: '20s' }
  const weekly = {
    name: 'weekly',
    prompt: 'What is new?',
    ...when,
    scope: { folders: ['docs'], fresh: 'all' },
  }
  const page = await beginPage({
    folders: { docs: {}, notes: {} },
    tree: { 'docs/plan.txt': 'the plan', [`notes/${hostile}`]: 'a note' },
    config: { prompts: [{ ...weekly, deliver: [{ file: { dir: makeTree() } }] }] },
    ...options,
  })
  const { journey, config, store, address } = page
  journey.ends({ left_out: ['notes/broken.gz'] })
  journey.write({ 'notes/broken.gz': Buffer.from([0x1f, 0x8b, 8, 0, 0]) })
  await journey.stage('notes/broken.gz', 'refused')
  const browser = new Browser(address)
  await browser.useLink(store)
  const daemon = await connectControl(config.state_dir)
  for (const run of ['/runs/1', '/runs/2']) {
    await daemon!.runPrompt({ prompt: 'weekly' })
    await until('the report is written', async () =>
      (await browser.get(run)).text.includes('Download'),
    )
  }
  await daemon!.close()
  await ask(browser, 'What is the plan?')
  return page
}
