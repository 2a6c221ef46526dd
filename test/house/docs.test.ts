import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

/** The anchor that common sites give to a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}

function anchorsIn(page: string): string[] {
  return [...readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    anchorOf(heading!),
  )
}

test.each(pages)('every link in %s leads to an existing file and heading', (page) => {
  const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#\s]*)(?:#([^)\s]+))?\)/g)]
  const missing = links.flatMap(([link, path = '', anchor]) => {
    if (path.includes('://')) return []
    const target = path === '' ? page : normalize(join(dirname(page), path))
    if (!existsSync(target)) return [link]
    return anchor === undefined || anchorsIn(target).includes(anchor) ? [] : [link]
  })
  expect(missing).toEqual([])
})

test('the README and the CHANGELOG stay short', () => {
  const lines = (page: string) => readFileSync(page, 'utf8').split('\n').length - 1
  expect(lines('README.md')).toBeLessThanOrEqual(120)
  expect(lines('CHANGELOG.md')).toBeLessThanOrEqual(40)
})
