import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SluiceHome } from './sluice-home.ts'

const service = { base_url: 'http://127.0.0.1:1', project_id: 'project_0123456789abcdefghij' }

const wrong: readonly (readonly [words: string[], said: RegExp])[] = [
  [['snyc'], /snyc is no command of sluice\n {2}did you mean sync\?/],
  [
    ['sync', '--dry-run'],
    /sluice sync has no --dry-run\n {2}`sluice plan` shows what would be uploaded/,
  ],
  [['status', '--jsno'], /Unknown argument: jsno\n {2}did you mean --json\?/],
  [['sync', '--token', 'pat_x'], /Unknown argument: token/],
  [['sync', '--config'], /config/],
  [['sync', '--config', 'a.yaml', '--config=b.yaml'], /--config is given more than once/],
  [['explain'], /./],
  [['accept'], /./],
  [['ls', '--state', 'lost'], /lost/],
  [['sync', '../../etc'], /is in no folder of the configuration\n {2}\S/],
  [['explain', '/etc/passwd'], /is in no folder of the configuration\n {2}\S/],
  [['retry', 'nofolder/x.txt'], /is in no folder of the configuration\n {2}\S/],
  [
    ['sync', 'docs/a.txt'],
    /docs\/a.txt lies inside the folder docs\n {2}a scan is about whole folders: name docs/,
  ],
  [['serve', 'tokne'], /tokne/],
  [['serve', '--port', 'many'], /port/],
  [[''], /./],
  [['\u001b[31m'], /./],
]

test('a wrong command line ends with 64 and a message, and starts nothing', async () => {
  const home = new SluiceHome({ 'a.txt': 'a' })
  home.giveToken(`pat_${'0123456789abcdef'.repeat(2)}`)
  home.configure({ service })
  for (const [words, said] of wrong) {
    const named = words.includes('--config')
      ? words
      : [...words, '--config', home.at('sluice.yaml')]
    const { code, out, err } = await home.inProcess(named)
    expect([code, out], `${words.join(' ')}: ${err}`).toEqual([64, ''])
    expect(err).toMatch(said)
    expect(err).not.toContain('fault of Sluice itself')
    expect(err).not.toContain('\u001b')
  }
  expect(existsSync(home.at('state'))).toBe(false)
})
