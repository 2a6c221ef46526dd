import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { makeTree } from '../../rig/tree.ts'

const open_ledger = fileURLToPath(new URL('../../../dist/ledger/open-ledger.js', import.meta.url))
const base_time = fileURLToPath(new URL('../../../dist/base/time/time.js', import.meta.url))

/**
 * The first lines of every child: a ledger in the directory of its first argument, and functions
 * that fill it.
 */
const preamble = `
  import { createHash } from 'node:crypto'
  import { openLedger } from ${JSON.stringify(open_ledger)}
  import { system_clock as clock } from ${JSON.stringify(base_time)}
  const state_dir = process.argv[2]
  const limits = { upload_limit: undefined, max_bytes_per_day: undefined, min_resend_ms: 0, newest_first: false, history_days: 1, max_history_rows: 1000, removal: { files: 100, percent: 10, per_ms: 86400000, wiped: { files: 10, percent: 50 } } }
  const open = () => openLedger({ state_dir, limits, clock })
  const settled = (path) => ({ type: 'file_settled', folder: 'docs', path, md5: createHash('md5').update(path).digest('hex'),
    stat: { size: 1, mtime_ns: 1n, ctime_ns: 1n, inode: 1n } })
  const folder = { name: 'docs', root: '/docs', project_id: 'p', labels: [], label_from: 'none', rules: '' }
  const configure = (ledger) => ledger.record([{ type: 'folder_configured', folder }, { type: 'folder_online', folder: 'docs', device: 1n }])
  const say = (line) => process.stdout.write(line + '\\n')
`

export function childScript(body: string): string {
  const script = join(makeTree(), 'child.mjs')
  writeFileSync(script, preamble + body)
  return script
}

export function startChild(command: readonly string[]): { child: ChildProcess; lines: Interface } {
  const child = spawn(command[0]!, command.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] })
  return { child, lines: createInterface({ input: child.stdout! }) }
}
