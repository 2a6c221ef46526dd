import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { HttpApp } from '../base/net/http-server-app.ts'

interface Asset {
  type: string
  body: Buffer
  /** Part of the address: another content has another one, so browsers may keep it for ever. */
  hash: string
}

const types: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

// They are in src/ for the built program, too: the compiler copies only what it compiles.
const own = new URL('../../src/page/assets/', import.meta.url)
const assets: ReadonlyMap<string, Asset> = new Map([
  ...['page.css', 'page.js', 'icon.svg'].map(
    (name) => [name, assetOf(name, readFileSync(new URL(name, own)))] as const,
  ),
  [
    'htmx.min.js',
    assetOf('htmx.min.js', readFileSync(new URL(import.meta.resolve('htmx.org/dist/htmx.min.js')))),
  ],
])

function assetOf(name: string, body: Buffer): Asset {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 12)
  return { type: types[name.split('.').at(-1)!]!, body, hash }
}

export function assetPath(name: string): string {
  return `/assets/${assets.get(name)!.hash}/${name}`
}

export function serveAssets(app: HttpApp): void {
  for (const [name, { type, body }] of assets) {
    app.route({
      method: ['GET', 'HEAD'],
      url: assetPath(name),
      handler: (_request, reply) =>
        reply.type(type).header('cache-control', 'public, max-age=31536000, immutable').send(body),
    })
  }
}
