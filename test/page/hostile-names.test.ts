import { Parser } from 'htmlparser2'
import { expect, test } from 'vitest'
import { beginCrowdedPage, crawl } from './crowded-page.ts'
import { Browser } from './page-rig.ts'

const turning = /[\u202a-\u202e\u2066-\u2069]/
const no_element = new Set(['img', 'svg', 'iframe', 'object', 'embed', 'style', 'base', 'x-evil'])

/** What of a document a browser would run, load, or take for an element of a name. */
function oddIn(html: string, is_xml = false): string[] {
  const odd: string[] = []
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (no_element.has(name)) odd.push(`<${name}>`)
        if (name === 'script' && !/^\/assets\//.test(attributes.src ?? '')) odd.push('<script>')
        for (const [attribute, value] of Object.entries(attributes)) {
          if (/^on|^style$|evil/.test(attribute)) odd.push(`${name} ${attribute}`)
          const is_address = ['href', 'src', 'action', 'formaction', 'hx-get'].includes(attribute)
          if (is_address && !/^(\/(?!\/)|#|https?:\/\/127\.0\.0\.1)/.test(value))
            odd.push(`${attribute}=${value}`)
        }
      },
    },
    { xmlMode: is_xml },
  )
  parser.end(html)
  return turning.test(html) ? [...odd, 'turned text'] : odd
}

test('the check itself sees what a name could do', () => {
  expect(oddIn('<p onclick=x><img><a href="javascript:x">\u202e</a><script>x</script>')).toEqual([
    'p onclick',
    '<img>',
    'href=javascript:x',
    '<script>',
    'turned text',
  ])
})

test('on no screen does a name, a report or an answer become an element', {
  timeout: 120_000,
}, async () => {
  const { operator, signedIn, address, store } = await beginCrowdedPage()
  const starts = [
    '/',
    '/files',
    '/problems',
    '/prompts',
    '/ask',
    '/about',
    '/prompts/weekly/feed.xml',
  ]
  const link = new Browser(address)
  await link.useLink(store)
  let hostile = 0
  for (const browser of [operator, link, await signedIn('ada')]) {
    const found = await crawl(browser, starts)
    expect(found.size).toBeGreaterThan(starts.length)
    for (const [path, { text, headers, status }] of found) {
      expect(status, path).toBeLessThan(500)
      const type = headers.get('content-type')!
      if (/markdown/.test(type)) continue
      expect(oddIn(text, /xml/.test(type)), `${path} as ${type}`).toEqual([])
      if (/&lt;(x-evil|img)|%3Cx-evil/.test(text)) hostile++
    }
  }
  expect(hostile, 'pages with a hostile name').toBeGreaterThan(10)
})
