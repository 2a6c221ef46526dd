import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CertificateFiles } from '../../../src/service/tls/make-certificates.ts'
import { makeTree } from '../../rig/tree.ts'

const page = readFileSync(
  fileURLToPath(new URL('../../../docs/service.md', import.meta.url)),
  'utf8',
)

/** The names in the examples of docs/service.md. */
export const names = { api: 'sluice.example.org', blob: 'blobs.sluice.example.org' }

export interface ReverseProxy {
  /** The command that runs it in the foreground. */
  command: string[]
}

/** The reason why this proxy is not tried; undefined if it is. */
export function whyWithout(program: string): string | undefined {
  if (spawnSync('which', [program]).status === 0) return undefined
  const why = `${program} is not installed`
  console.warn(`a service behind ${program} is not tried: ${why}`)
  return why
}

/**
 * The example of docs/service.md unchanged, except the ports of the service and the files of the
 * certificate.
 */
function exampleOf(
  language: string,
  ports: { api: string; blob: string },
  files: Record<string, string>,
): string {
  const [, text] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page) ?? []
  if (text === undefined) throw new Error(`docs/service.md has no example in ${language}`)
  let made = text.replaceAll('127.0.0.1:8080', ports.api).replaceAll('127.0.0.1:8081', ports.blob)
  for (const [from, to] of Object.entries(files)) {
    if (!made.includes(from)) throw new Error(`the example in ${language} does not name ${from}`)
    made = made.replaceAll(from, to)
  }
  return made
}

export function nginx(
  ports: { api: string; blob: string },
  { cert, key }: CertificateFiles,
): ReverseProxy {
  const folder = makeTree()
  const example = exampleOf('nginx', ports, {
    '/etc/ssl/sluice.pem': cert,
    '/etc/ssl/sluice.key': key,
  })
  // The surrounding lines of Debian's nginx.conf, with directories that a test can write to.
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const around = `daemon off; user root; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${places.join(' ')}\n`
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, `${around}${example}}\n`)
  return { command: ['nginx', '-e', 'stderr', '-c', file] }
}

export function haproxy(
  ports: { api: string; blob: string },
  { cert, key }: CertificateFiles,
): ReverseProxy {
  const folder = makeTree()
  mkdirSync(folder, { recursive: true })
  const both = join(folder, 'both.pem')
  writeFileSync(both, readFileSync(cert, 'utf8') + readFileSync(key, 'utf8'), { mode: 0o600 })
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, exampleOf('haproxy', ports, { '/etc/haproxy/sluice.pem': both }))
  return { command: ['haproxy', '-f', file] }
}
