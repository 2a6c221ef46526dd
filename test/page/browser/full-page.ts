import { connectControl } from '../../../src/control/control-client.ts'
import { makeTree } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'
import { Browser, beginPage } from '../page-rig.ts'

const hostile = `<img src=x onerror=alert(1)> "quoted" 'and' a very long name that goes on and on.txt`

/** Every screen, as paths below the address of the page. A new screen gets a line here. */
export const paths = [
  '/',
  '/problems',
  '/prompts',
  '/prompts/weekly',
  '/prompts/weekly/dry-run',
  '/runs/1',
  '/ask',
  '/about',
]

/** A page with two folders, a file that is refused, hostile names, and a prompt that has run. */
export async function beginFullPage(options: Parameters<typeof beginPage>[0] = {}) {
  const when = { cron: '0 7 * * 1', first_run: 'all', wait_for_files: '20s' }
  const weekly = { name: 'weekly', prompt: 'What is new?', ...when, scope: { folders: ['docs'] } }
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
  const daemon = await connectControl(config.state_dir)
  await daemon!.runPrompt({ prompt: 'weekly' })
  await daemon!.close()
  const browser = new Browser(address)
  await browser.useLink(store)
  await until('the report is written', async () => (await browser.get('/runs/1')).text.includes('Download'))
  return page
}
