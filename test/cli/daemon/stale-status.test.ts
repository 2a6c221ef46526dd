import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { clockText } from '../../../src/base/time/time.ts'
import { mayMount } from '../../journeys/disks/mounted-daemon.ts'
import { Home, untilAnswer } from '../sluice.ts'

const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
const no_prlimit = spawnSync('prlimit', ['--version']).status !== 0
if (no_prlimit)
  console.warn('a disk that refuses every write is not tried: there is no prlimit here')
const has_tmpfs = mayMount('tmpfs')

test.skipIf(no_prlimit)(
  'a daemon that can record nothing: status exits with 1 and says since when',
  async () => {
    const home = await Home.make({ 'a.txt': 'one' })
    const daemon = await home.run()
    const status = () => home.inProcess('status', '--json')
    // The kernel refuses every write to a file of this process with EFBIG, as a full disk does with
    // ENOSPC.
    const letWrite = (soft: 'unlimited' | 0) =>
      expect(spawnSync('prlimit', [`--fsize=${soft}:`, `--pid=${daemon.child.pid}`]).status).toBe(0)
    await untilCode(0, status)
    const before_ms = Date.now()
    letWrite(0)
    home.write({ 'b.txt': 'two' })
    const { out } = await untilCode(1, status)
    const { verdict, stale_since } = JSON.parse(out) as { verdict: string; stale_since: string }
    expect(verdict).toBe('stale')
    expect(Date.parse(stale_since)).toBeGreaterThanOrEqual(before_ms)
    expect(Date.parse(stale_since)).toBeLessThanOrEqual(Date.now())
    const text = await home.inProcess('status')
    expect([text.code, text.err]).toEqual([1, ''])
    expect(text.out).not.toContain('all ready')
    expect(text.out.replace(/\s+/g, ' ')).toContain(`since ${clockText(Date.parse(stale_since))}`)
    letWrite('unlimited')
    const after = await untilCode(0, status)
    expect(JSON.parse(after.out)).toMatchObject({ verdict: 'all_ready', stale_since: null })
    expect(home.readyAssets()).toBe(2)
  },
)

function untilCode<Answer extends { code: number | null }>(
  code: number,
  status: () => Promise<Answer>,
): Promise<Answer> {
  return untilAnswer(`status exits with ${code}`, status, (answer) => answer.code === code, 40_000)
}

test.skipIf(!has_tmpfs)(
  'no daemon, and a full disk under the ledger: status exits with 1 and says how old the state is',
  async () => {
    const home = await Home.make({ 'a.txt': 'one' })
    expect((await home.inProcess('sync')).code).toBe(0)
    const state = join(home.path, 'state')
    const copy = join(home.path, 'copy')
    cpSync(state, copy, { recursive: true })
    const status = (fill: string) => {
      const script = `mount -t tmpfs -o size=2m,mode=700 none "$1" && cp "$2"/*.db* "$1" && ${fill} && exec "$3" "$4" status --config "$5"`
      const words = [state, copy, process.execPath, program, join(home.path, 'sluice.yaml')]
      return spawnSync(
        'unshare',
        ['-m', '--propagation', 'private', 'sh', '-c', script, 'sh', ...words],
        {
          encoding: 'utf8',
        },
      )
    }
    expect(status('true')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('all ready: 1 file'),
    })
    const full = status('{ cat /dev/zero > "$1/filler" 2> /dev/null || true; }')
    expect([full.status, full.stderr]).toEqual([1, ''])
    expect(full.stdout).not.toContain('all ready')
    expect(full.stdout).toMatch(/nothing was recorded for .*since 20/)
    expect(full.stdout.replace(/\s+/g, ' ')).toContain(`the disk that holds ${state} is full`)
  },
)
