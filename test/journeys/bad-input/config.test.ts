import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { makeDirectory, SluiceHome } from './sluice-home.ts'

const project_id = 'project_0123456789abcdefghij'
const token = `pat_${'0123456789abcdef'.repeat(2)}`
const service = { base_url: 'http://127.0.0.1:1', project_id }

function homeWith(text: string | Uint8Array): SluiceHome {
  const home = new SluiceHome({ 'a.txt': 'a' })
  writeFileSync(home.at('sluice.yaml'), text)
  return home
}

/**
 * Expects every command to refuse the configuration in the same words, without changing anything.
 */
async function refused(home: SluiceHome, words = ['sync'], file = 'sluice.yaml'): Promise<string> {
  const { code, out, err } = await home.inProcess([...words, '--config', home.at(file)])
  expect([code, out], err).toEqual([78, ''])
  expect(err).not.toContain('fault of Sluice itself')
  expect(existsSync(home.at('state'))).toBe(false)
  return err
}

describe('an invalid configuration', () => {
  test('reports several faults at once, each with its line', async () => {
    const home = homeWith(
      [
        'service:',
        '  base_url: http://assistant.example.com',
        '  project_id: project_short',
        `  token: ${token}`,
        'folders:',
        '  - name: Docs And More',
        '    path: notes',
        '    settle: 2s',
        'uploads: { concurency: 4, max_attempts: many }',
      ].join('\n'),
    )
    const err = await refused(home)
    for (const at of [2, 3, 4, 6, 7, 8, 9])
      expect(err).toMatch(new RegExp(`sluice\\.yaml:${at}:\\d+: `))
    expect(err).toContain('did you mean concurrency?')
    expect(err).toContain('settle_ms')
    expect(err).not.toContain(token.slice(4))
    for (const words of [['run'], ['status'], ['ls'], ['plan'], ['explain', 'a.txt'], ['config']]) {
      expect(await refused(home, words)).toBe(err)
    }
  })

  test('a missing file, a directory, an empty file, binary data, tabs, another document', async () => {
    const home = homeWith('')
    mkdirSync(home.at('directory'))
    writeFileSync(home.at('bytes.yaml'), Buffer.from([0, 255, 254, 128, 10, 0]))
    writeFileSync(home.at('tabs.yaml'), 'service:\n\tbase_url: x\n')
    writeFileSync(home.at('list.yaml'), '- a\n- b\n')
    for (const file of [
      'nowhere.yaml',
      'directory',
      'sluice.yaml',
      'bytes.yaml',
      'tabs.yaml',
      'list.yaml',
    ]) {
      const err = await refused(home, ['sync'], file)
      expect(err, file).toContain(file)
      expect(err.trimEnd().split('\n').at(-1), 'a hint').toMatch(/^ {2}\S/)
    }
  })

  test('a folder that is a file; a state directory inside a watched folder', async () => {
    const home = new SluiceHome({ 'a.txt': 'a' })
    home.configure({ service, folder: { path: home.at('docs/a.txt') } })
    expect(await refused(home)).toMatch(/folders\[0\]\.path: is a file, not a folder/)
    home.configure({ service, top: { state_dir: home.at('docs/.state') } })
    expect(await refused(home)).toMatch(/state_dir: must not lie inside a watched folder/)
  })

  test('a state directory that other users can access is left as it is', async () => {
    const home = new SluiceHome({ 'a.txt': 'a' })
    home.giveToken(token)
    makeDirectory(home.at('shared'), 0o755)
    writeFileSync(home.at('shared/their-file'), 'theirs')
    home.configure({ service, top: { state_dir: home.at('shared') } })
    const { code, err } = await home.inProcess(['sync', '--config', home.at('sluice.yaml')])
    expect([code, err]).toEqual([
      78,
      expect.stringContaining('is open to other users and holds other things'),
    ])
    expect(statSync(home.at('shared')).mode & 0o777).toBe(0o755)
  })

  test('a missing ca_file, or a file without a certificate', async () => {
    const home = new SluiceHome({ 'a.txt': 'a' })
    home.giveToken(token)
    home.configure({ service: { ...service, ca_file: home.at('ca.pem') } })
    expect(await refused(home)).toContain('ca_file: cannot be read (no such file or directory)')
    writeFileSync(home.at('ca.pem'), 'no certificate')
    const broken = await home.inProcess(['sync', '--config', home.at('sluice.yaml')])
    expect([broken.code, broken.err]).toEqual([
      78,
      expect.stringMatching(/service\.ca_file .*ca\.pem cannot be used: .*\n {2}\S/),
    ])
  })
})

test('a missing folder is offline, not an error, and nothing in it counts as deleted', async () => {
  const home = new SluiceHome()
  home.giveToken(token)
  home.configure({ service })
  rmSync(home.at('docs'), { recursive: true })
  const { code, out, err } = await home.sluice(['sync'])
  expect(code).toBe(3)
  expect(`${out}${err}`).toMatch(
    /Folder \\?"docs\\?" is offline: .*does not exist \(not mounted\?\)/,
  )
  const status = JSON.parse((await home.sluice(['status', '--json'])).out)
  expect(status.folders[0]).toMatchObject({
    name: 'docs',
    state: 'offline',
    reason: expect.stringMatching(/docs does not exist \(not mounted\?\)$/),
  })
})
