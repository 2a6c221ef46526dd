import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { system_clock } from '../../../src/base/time/time.ts'
import { openAdministration } from '../../../src/service/store/stores.ts'
import {
  type CertificateFiles,
  makeCertificates,
} from '../../../src/service/tls/make-certificates.ts'
import { addToTree, makeStore, makeTree } from '../../rig/tree.ts'
import { type Machine, no_machines, type TwoMachines, twoMachines } from './machines.ts'
import { haproxy, names, nginx, type ReverseProxy, whyWithout } from './proxies.ts'

const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
/** More than a proxy buffers of a body, and than nginx allows by default. */
const large = 'A line of some length that is like no other.\n'.repeat(80_000)
const tree = { 'docs/plan.txt': 'the plan', 'docs/large.csv': large }

let machines: TwoMachines | undefined

afterEach(async () => {
  await machines?.close()
  machines = undefined
})

interface Account {
  data_dir: string
  project_id: string
  token_file: string
}

function makeAccount(): Account {
  const data_dir = makeStore()
  const { projects, tokens, close } = openAdministration(data_dir, system_clock, true)
  const { project_id } = projects.create('machines')
  const token_file = join(makeStore(), 'token')
  writeFileSync(token_file, `${tokens.create('client').token}\n`, { mode: 0o600 })
  close()
  return { data_dir, project_id, token_file }
}

/** Runs `sluice serve` on one machine; returns the address that it prints. */
async function serve(
  machine: Machine,
  { data_dir }: Account,
  words: string[],
): Promise<{ api: string; blob: string }> {
  const child = machine.spawn(process.execPath, program, 'serve', '--data-dir', data_dir, ...words)
  let err = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  const ended = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`it ended with ${code}: ${err}`)),
  )
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout! }), 'line'),
    ended,
  ])
  ended.catch(() => {})
  return JSON.parse(line as string)
}

/** Runs `sluice sync` on the other machine; returns its exit code and output. */
async function sync(machine: Machine, { project_id, token_file }: Account, service: object) {
  const base = makeTree()
  addToTree(base, tree)
  const file = join(base, 'sluice.json')
  const config = {
    service: { project_id, token_file, ...service },
    state_dir: join(makeStore(), 'state'),
    folders: [{ name: 'docs', path: join(base, 'docs'), settle_ms: '50ms' }],
    uploads: { limit: 'off' },
  }
  writeFileSync(file, JSON.stringify(config))
  return machine.run(process.execPath, program, 'sync', '--config', file)
}

/** The list as curl gets it when it trusts only this authority. */
async function listed(
  machine: Machine,
  api: string,
  { project_id, token_file }: Account,
  ca: string,
) {
  const keys = [
    '-H',
    `X-API-Key: ${readFileSync(token_file, 'utf8').trim()}`,
    '-H',
    `X-Project-Id: ${project_id}`,
  ]
  const { out, err } = await machine.run('curl', '-sS', '--cacert', ca, ...keys, `${api}/v1/assets`)
  const { data } = JSON.parse(out || `{"data": ${JSON.stringify(err)}}`)
  return data.map(({ filename, status, size_in_bytes }: Record<string, unknown>) => [
    filename,
    status,
    size_in_bytes,
  ])
}

const all_ready = [
  ['docs/large.csv', 'ready', large.length],
  ['docs/plan.txt', 'ready', 8],
]

function certificates(hosts: string[]): CertificateFiles {
  return makeCertificates(join(makeStore(), 'tls'), hosts, system_clock)
}

describe.skipIf(no_machines).each(['default', 'hosted'])(
  'a service on another machine (%s)',
  (profile) => {
    test('over TLS, with its own authority', async () => {
      machines = await twoMachines([names.api])
      const { server, client } = machines
      const files = certificates([server.address])
      const account = makeAccount()
      const tls = ['--tls-cert', files.cert, '--tls-key', files.key]
      const words = [
        '--listen',
        server.address,
        '--port',
        '8443',
        '--blob-port',
        '8444',
        '--profile',
        profile,
        ...tls,
      ]
      const { api, blob } = await serve(server, account, words)
      expect([api, blob]).toEqual([
        `https://${server.address}:8443`,
        `https://${server.address}:8444`,
      ])

      const unknown = await sync(client, account, { base_url: api })
      expect(unknown.code).not.toBe(0)
      expect(unknown.out + unknown.err).toMatch(/no trusted connection was made/)
      expect(await listed(client, api, account, files.ca)).toEqual([])
      const { code, err } = await sync(client, account, { base_url: api, ca_file: files.ca })
      expect(code, err).toBe(0)
      expect((await listed(client, api, account, files.ca)).sort()).toEqual(all_ready)

      // The service answers only over TLS, and a client needs the authority to trust it.
      expect((await client.run('curl', '-sS', api.replace('https', 'http'))).code).not.toBe(0)
      expect((await client.run('curl', '-sS', `${api}/v1/openapi.yaml`)).code).toBe(60)
    })

    // A proxy treats requests the same in both profiles.
    const proxies: [string, typeof nginx][] = [
      ['nginx', nginx],
      ['haproxy', haproxy],
    ]
    for (const [name, make] of profile === 'hosted' ? proxies : []) {
      test.skipIf(whyWithout(name))(`behind ${name}, set up as in docs/service.md`, async () => {
        machines = await twoMachines(Object.values(names))
        const { server, client } = machines
        const files = certificates(Object.values(names))
        const account = makeAccount()
        const urls = [
          '--public-url',
          `https://${names.api}`,
          '--public-blob-url',
          `https://${names.blob}`,
        ]
        const { api, blob } = await serve(server, account, ['--profile', profile, ...urls])
        const proxy = make({ api: new URL(api).host, blob: new URL(blob).host }, files)
        await proxied(server, proxy)

        const { code, err } = await sync(client, account, {
          base_url: `https://${names.api}`,
          ca_file: files.ca,
        })
        expect(code, err).toBe(0)
        expect((await listed(client, `https://${names.api}`, account, files.ca)).sort()).toEqual(
          all_ready,
        )
        const described = await client.run(
          'curl',
          '-sS',
          '--cacert',
          files.ca,
          `https://${names.api}/v1/openapi.yaml`,
        )
        expect(described.out).toContain(`url: "https://${names.api}"`)
        // The key is for one name only, and each name leads to its own server.
        const astray = await client.run(
          'curl',
          '-sS',
          '--cacert',
          files.ca,
          `https://${names.blob}/v1/openapi.yaml`,
        )
        expect(astray.out).toContain('<Code>InvalidUri</Code>')
      })
    }
  },
)

/** Starts the proxy, and waits until it answers on the server's own address. */
async function proxied(
  server: Machine,
  { command: [command, ...words] }: ReverseProxy,
): Promise<void> {
  const child = server.spawn(command!, ...words)
  let err = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  for (const began = performance.now(); performance.now() - began < 30_000; ) {
    const { code } = await server.run(
      'curl',
      '-sk',
      '-o',
      '/dev/null',
      `https://${server.address}/`,
    )
    if (code === 0) return
    expect(child.exitCode, err).toBe(null)
    await system_clock.sleep(50)
  }
  throw new Error(`${command} does not answer: ${err}`)
}
