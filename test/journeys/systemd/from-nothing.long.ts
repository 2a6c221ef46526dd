import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Service, startService } from '../../rig/local-service.ts'
import { makeStore, makeTree } from '../../rig/tree.ts'
import { packProject, packSqlite, projectVersion } from '../package/pack.ts'
import { bootLab, type Lab, no_lab } from './lab.ts'
import { type Masks, type Typed, transcriptOf } from './transcript.ts'

const page_file = fileURLToPath(new URL('../../../docs/operating.md', import.meta.url))
const prebuilt = '/opt/prebuilt'
/** Packing builds twice, which takes minutes on a busy machine. */
const patience_ms = 600_000
const version = projectVersion()
const next_version = version.replace(/\d+$/, (last) => String(Number(last) + 1))

// `npx vitest run --config vitest.long.config.ts test/journeys/systemd/from-nothing --update`
// writes the page.
describe.skipIf(no_lab)('docs/operating.md, from nothing to running', () => {
  let lab: Lab
  let service: Service
  beforeAll(async () => {
    service = await startService({ data_dir: join(makeStore(), 'service') })
    lab = await bootLab({ package_dir: 'none' })
    const packed = makeTree()
    packSqlite(join(packed, 'prebuilt'))
    lab.copyIn(join(packed, 'prebuilt'), prebuilt)
    for (const each of [version, next_version]) {
      const { file } = packProject(packed, each)
      lab.copyIn(file, `/root/sluice-${each}.tgz`)
    }
    // A typical share is open to a group only.
    await lab.sh(
      'groupadd finance && install -d -m 2750 -g finance /srv/finance && cd /srv/finance && echo Budget > budget.md',
    )
    lab.write('/root/token.txt', `${service.tokens.create('office').token}\n`, 0o600)
  }, patience_ms)
  afterAll(async () => {
    await lab?.close()
    await service?.close()
  })

  test('shows what happens', async () => {
    const project = service.projects.create('Office')
    // The status ends with 3 until every file is ready. The ledger knows that a moment after the
    // service.
    const says = (command: string, words: string) => async () =>
      (await lab.sh(`${command} || true`)).includes(words)
    const ready = (count: number) => async () =>
      service.assets(project.project_id).filter(({ status }) => status === 'ready').length ===
        count && (await says('sluice status', `all ready: ${count} file`)())
    const init = `sluice init --config /etc/sluice/sluice.yaml --base-url ${service.api} --token-file /root/token.txt --project Office --folder finance=/srv/finance --yes`
    // systemd shows it a moment after the ledger.
    const show = 'systemctl show --property=ActiveState,SubState,StatusText sluice.service'
    const commands: Typed[] = [
      {
        line: `npm install -g --prefix /usr/local --omit=dev ./sluice-${version}.tgz`,
        instead: '…',
      },
      { line: 'sluice version' },
      { line: init },
      { line: 'sluice install --dry-run' },
      { line: 'sluice install' },
      { line: 'cat /etc/systemd/system/sluice.service.d/10-config.conf' },
      { line: 'sluice doctor' },
      { line: 'systemctl enable --now sluice.service' },
      { line: 'sluice status', once: ready(1) },
      { line: "echo 'Minutes of Monday' > /srv/finance/minutes.md" },
      { line: 'sluice ls', once: ready(2) },
      { line: show, once: says(show, '2 ready') },
      {
        line: `npm install -g --prefix /usr/local --omit=dev ./sluice-${next_version}.tgz`,
        instead: '…',
      },
      { line: 'sluice install' },
      { line: 'systemctl restart sluice.service' },
      { line: 'sluice status', once: says('sluice status', ': 2 files') },
      { line: 'sluice uninstall' },
      { line: 'sluice uninstall --purge' },
      { line: 'npm uninstall -g --prefix /usr/local sluice', instead: '…' },
    ]
    const masks: Masks = [
      [service.api, 'https://assistant.example.com'],
      [project.project_id, 'project_0123456789abcdefghij'],
      [new URL(service.api).host, 'assistant.example.com'],
      [/[\d.]+ [GT]B free/g, '13 GB free'],
      [/max_user_watches is [\d,]+/g, 'max_user_watches is 1,048,576'],
      [/Node \d+\.\d+\.\d+/g, 'Node 20.20.2'],
      [/ulimit -n: \d+/g, 'ulimit -n: 20000'],
      [/pid \d+/g, 'pid 4711'],
      [/scanned .+ ago in [\d.]+ m?s/g, 'scanned 2.0 s ago in 0.1 s'],
      // The audit begins a minute after the start, and a slow machine may take that long.
      [/\n\nlast full audit .*/g, ''],
      [/\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?/g, '2026-11-21 08:00'],
    ]
    const screen = await transcriptOf(
      lab,
      commands,
      masks,
      `export npm_config_better_sqlite3_local_prebuilds=${prebuilt};`,
    )
    const [begin, end] = ['<!-- A real transcript -->\n', '<!-- /A real transcript -->']
    const page = readFileSync(page_file, 'utf8')
    const before = page.slice(0, page.indexOf(begin) + begin.length)
    const after = page.slice(page.indexOf(end))
    await expect(`${before}\n\`\`\`console\n${screen}\n\`\`\`\n\n${after}`).toMatchFileSnapshot(
      page_file,
    )
  })
})
