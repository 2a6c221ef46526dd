import {
  type ChildProcess,
  execFileSync,
  type StdioOptions,
  spawn,
  spawnSync,
} from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTree } from '../../rig/tree.ts'

/** The reason why no second machine can be made here; undefined if one can. */
export const no_machines = whyNone()
// Skipped tests print no reason.
if (no_machines) console.warn(`the tests with two machines are skipped: ${no_machines}`)

function whyNone(): string | undefined {
  if (process.platform !== 'linux') return 'this is not Linux'
  if (process.getuid?.() !== 0) return 'making network namespaces takes root'
  for (const program of ['unshare', 'nsenter', 'ip', 'curl']) {
    if (spawnSync('which', [program]).status !== 0) return `${program} is not installed`
  }
  const { status } = spawnSync('unshare', ['--net', '--mount', 'true'])
  return status === 0 ? undefined : 'this machine allows no new namespaces (unshare failed)'
}

interface Ended {
  code: number | null
  out: string
  err: string
}

/**
 * A network namespace with its own loopback and one line to the other machine; the disk is shared.
 */
export interface Machine {
  address: string
  /** Starts a program in it. */
  spawn(command: string, ...words: string[]): ChildProcess
  /** Runs a program to its end; never rejects for its exit code. */
  run(command: string, ...words: string[]): Promise<Ended>
}

export interface TwoMachines {
  server: Machine
  client: Machine
  /** Ends every process that still runs in them; the networks end with the last process. */
  close(): Promise<void>
}

const addresses = { server: '10.77.0.1', client: '10.77.0.2' }

/** Two machines with a cable between them; these names resolve to the server on both. */
export async function twoMachines(names: readonly string[]): Promise<TwoMachines> {
  const hosts = join(makeTree(), 'hosts')
  writeFileSync(hosts, `127.0.0.1 localhost\n${addresses.server} ${names.join(' ')}\n`)
  const children: ChildProcess[] = []
  const [server, client] = [
    await boot(hosts, addresses.server, children),
    await boot(hosts, addresses.client, children),
  ]
  const cable = [
    'link',
    'add',
    'eth0',
    'netns',
    server.pid,
    'type',
    'veth',
    'peer',
    'name',
    'eth0',
    'netns',
    client.pid,
  ]
  execFileSync('ip', cable)
  for (const { pid, address } of [server, client]) {
    inside(pid, 'ip', 'address', 'add', `${address}/24`, 'dev', 'eth0')
    for (const device of ['lo', 'eth0']) inside(pid, 'ip', 'link', 'set', device, 'up')
  }
  return {
    server,
    client,
    async close() {
      await Promise.all(children.reverse().map(ended))
    },
  }
}

function inside(pid: string, ...words: string[]): void {
  execFileSync('nsenter', ['--target', pid, '--net', ...words])
}

/** Asks the process to end, because otherwise nginx leaves its workers behind. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'close')
  child.kill('SIGTERM')
  await exit
}

/** The namespaces exist as long as a process sleeps in them. */
async function boot(
  hosts: string,
  address: string,
  children: ChildProcess[],
): Promise<Machine & { pid: string }> {
  const line = `mount --bind ${hosts} /etc/hosts && echo up && exec sleep infinity`
  const keeper = spawn('unshare', ['--net', '--mount', 'sh', '-c', line], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(keeper)
  await once(keeper.stdout, 'data')
  const pid = String(keeper.pid)
  const begin = (command: string, ...words: string[]) => {
    const env = { PATH: process.env.PATH, HOME: '/nonexistent', LANG: 'C.UTF-8' }
    const stdio = ['ignore', 'pipe', 'pipe'] satisfies StdioOptions
    const child = spawn('nsenter', ['--target', pid, '--net', '--mount', command, ...words], {
      env,
      stdio,
    })
    children.push(child)
    return child
  }
  return {
    pid,
    address,
    spawn: begin,
    async run(command, ...words) {
      const child = begin(command, ...words)
      let [out, err] = ['', '']
      child.stdout?.setEncoding('utf8').on('data', (text) => {
        out += text
      })
      child.stderr?.setEncoding('utf8').on('data', (text) => {
        err += text
      })
      const [code] = (await once(child, 'close')) as [number | null]
      return { code, out, err }
    },
  }
}
