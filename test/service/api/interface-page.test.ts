import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const page = readFileSync(join(root, 'docs/interface.md'), 'utf8')

interface Fact {
  id: string
  mark: string
  text: string
  shown_by: string
}

const facts = readFacts(page)

test('ids are unique, in order, without a gap, and each has a mark', () => {
  for (const letter of 'ABCDE') {
    const ids = facts.filter(({ id }) => id.startsWith(letter)).map(({ id }) => id)
    expect(ids).toEqual(ids.map((_, at) => `${letter}-${String(at + 1).padStart(2, '0')}`))
    expect(ids.length).toBeGreaterThan(5)
  }
  for (const { id, mark } of facts) expect(mark, id).toMatch(/^[SPL](, [SPL])*$/)
})

describe('every fact has the test that the page names', () => {
  test.each(facts.map((fact) => [fact.id, fact] as const))('%s', (_id, fact) => {
    expect(missingProofs(fact, (path) => readFileSync(join(root, 'test', path), 'utf8'))).toEqual(
      [],
    )
  })
})

test('every id in the name of a test is on the page beside that test', () => {
  const lost: string[] = []
  for (const [path, text] of filesBelow('test', /\.(test|facts)\.ts$/)) {
    for (const id of new Set(titlesOf(text).flatMap(idsIn))) {
      const fact = facts.find((candidate) => candidate.id === id)
      if (!fact?.shown_by.includes(path))
        lost.push(`${path} shows ${id}, which the page does not say`)
    }
  }
  expect(lost).toEqual([])
})

test('every id in the program is on the page', () => {
  const known = new Set(facts.map(({ id }) => id))
  for (const [path, text] of filesBelow('src', /\.ts$/)) {
    for (const id of idsIn(text)) expect(known, `${path} cites ${id}`).toContain(id)
  }
})

test('a fact without its test, and a missing test, are found', () => {
  const fact = { id: 'A-99', mark: 'S', text: '', shown_by: 'a.test.ts; b.test.ts "as it is"' }
  const texts: Record<string, string> = {
    'a.test.ts': `test('A-98 other', f)`,
    'b.test.ts': `test('as it was', f)`,
  }
  expect(missingProofs(fact, (path) => texts[path] ?? '')).toEqual([
    'no test in a.test.ts has A-99 in its name',
    'no test in b.test.ts is called "as it is"',
  ])
  expect(missingProofs({ ...fact, shown_by: '' }, () => '')).toEqual(['A-99 names no test'])
})

function readFacts(text: string): Fact[] {
  return text
    .split('\n')
    .filter((line) => /^\| [A-Z]-\d\d \|/.test(line))
    .map((line) => {
      const [, id = '', mark = '', fact = '', shown_by = ''] = line
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim())
      return { id, mark, text: fact, shown_by }
    })
}

function missingProofs({ id, shown_by }: Fact, read: (path: string) => string): string[] {
  if (shown_by === '') return [`${id} names no test`]
  return shown_by.split(/; (?=\S+\.(?:test|facts|long)\.ts)/).flatMap((entry) => {
    const [, path = '', , title] = /^(\S+\.(?:test|facts|long)\.ts)( "(.+)")?$/.exec(entry) ?? []
    const titles = titlesOf(read(path))
    if (title !== undefined)
      return titles.includes(title) ? [] : [`no test in ${path} is called "${title}"`]
    return titles.some((name) => idsIn(name).includes(id))
      ? []
      : [`no test in ${path} has ${id} in its name`]
  })
}

/**
 * The names of tests, groups of tests and facts: a string right behind test(, describe(, fact( or
 * the rows of an each.
 */
function titlesOf(text: string): string[] {
  return [
    ...text.matchAll(
      /(?:\b(?:test|describe|fact)\(|\]\)\(|\)\(|const\)\()\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/g,
    ),
  ].map((match) => match[2]!)
}

function idsIn(text: string): string[] {
  return text.match(/\b[A-E]-\d\d\b/g) ?? []
}

function filesBelow(folder: string, name: RegExp): [string, string][] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => name.test(path) && !path.includes('interface-page'))
    .map((path) => [path, readFileSync(join(root, folder, path), 'utf8')])
}
