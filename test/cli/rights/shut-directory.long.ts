import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { LedgerView } from '../../journeys/rig/ledger-view.ts'
import { unprivileged } from '../../rig/unprivileged.ts'
import { Home, until } from '../sluice.ts'

const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

test.for(['chokidar', 'native', 'scan'])(
  'one subfolder is closed to the daemon and opened again, another is closed from the start: no file counts as deleted, and each is uploaded in the end (%s)',
  { timeout: 180_000 },
  async (watch, context) => {
    const home = await Home.of(context, {
      'a/1.txt': 'one',
      'b/2.txt': 'two',
      'late/3.txt': 'three',
    })
    home.configure({ folder: { watch, label_from: 'first_folder' } })
    const docs = join(home.path, 'docs')
    chmodSync(join(docs, 'late'), 0)
    mkdirSync(join(home.path, 'state'))
    const owner = String(statSync(program).uid)
    for (const name of ['docs', 'state', 'token'])
      execFileSync('chown', ['-R', owner, join(home.path, name)])
    for (const name of ['', 'sluice.yaml']) chmodSync(join(home.path, name), 0o755)
    const words = [
      ...unprivileged(),
      process.execPath,
      program,
      'run',
      '--config',
      join(home.path, 'sluice.yaml'),
    ]
    const daemon = spawn(words[0]!, words.slice(1), {
      env: { PATH: process.env.PATH, HOME: '/nonexistent' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let err = ''
    daemon.stderr.on('data', (chunk) => {
      err += String(chunk)
    })
    context.onTestFinished(() => void daemon.kill('SIGKILL'))
    await until(
      'it runs',
      () => err.includes('is running'),
      () => err,
    )
    const view = new LedgerView(join(home.path, 'state'))
    context.onTestFinished(() => view.close())
    const stages = () => Object.fromEntries(view.files().map(({ name, stage }) => [name, stage]))
    const are = (wanted: Record<string, string>) =>
      until(
        JSON.stringify(wanted),
        () => JSON.stringify(stages()) === JSON.stringify(wanted),
        () => JSON.stringify(stages()) + err,
      )
    await are({ 'docs/a/1.txt': 'ready', 'docs/b/2.txt': 'ready' })

    chmodSync(join(docs, 'a'), 0)
    for (const _again of [1, 2]) {
      await home.inProcess('rescan', 'docs')
      await are({ 'docs/a/1.txt': 'blocked unreadable', 'docs/b/2.txt': 'ready' })
    }
    for (const name of ['a', 'late']) {
      chmodSync(join(docs, name), 0o755)
      writeFileSync(join(docs, name, 'new.txt'), `new in ${name}`)
    }
    const all = {
      'docs/a/1.txt': 'ready',
      'docs/a/new.txt': 'ready',
      'docs/b/2.txt': 'ready',
      'docs/late/3.txt': 'ready',
      'docs/late/new.txt': 'ready',
    }
    await are(all)
    // The watcher reports their changes from then on.
    await until(
      'it is at rest',
      () => view.folders()[0]?.scan_summary?.includes('"unreadable_total":0') ?? false,
    )
    for (const name of ['a', 'late']) writeFileSync(join(docs, name, 'then.txt'), `then in ${name}`)
    await until(
      'they are heard',
      () => stages()['docs/late/then.txt'] === 'ready' && stages()['docs/a/then.txt'] === 'ready',
    )
    expect(home.service.requestLog.filter(({ place }) => place === 'put')).toHaveLength(7)
    daemon.kill('SIGTERM')
    await once(daemon, 'exit')
  },
)
