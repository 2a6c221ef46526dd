import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseYaml } from '../../src/config/yaml-source.ts'
import { excludeSetting } from '../../src/status/text/text.ts'
import { fields } from '../config/reference.ts'

const pages = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const names = new Set(fields().map(({ name }) => name.split('.').at(-1)!.replace('[]', '')))

interface Example {
  where: string
  text: string
}

function lineAt(page: string, index: number): string {
  return `${page}:${readFileSync(page, 'utf8').slice(0, index).split('\n').length}`
}

/** Blocks marked as YAML, and settings in a line of text: `exclude: ["*.tmp"]`. */
function examplesIn(page: string): Example[] {
  const text = readFileSync(page, 'utf8')
  const blocks = [...text.matchAll(/^( *)```ya?ml\n(.*?)^ *```/gms)].map(
    ({ index, 1: indent = '', 2: block = '' }) => ({
      where: lineAt(page, index),
      text: block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  )
  const settings = [...text.matchAll(/`(?:\w+\.)*(\w+): ([^`\n]+)`/g)].flatMap(
    ({ index, 1: name = '', 2: value = '' }) =>
      // interface.md is about the calls of the service.
      names.has(name) && !page.includes('interface')
        ? [{ where: lineAt(page, index), text: `${name}: ${value}` }]
        : [],
  )
  return [...blocks, ...settings]
}

test('every YAML example in the docs can be copied', () => {
  const examples = pages.flatMap(examplesIn)
  expect(examples.length).toBeGreaterThan(20)
  const wrong = examples.flatMap(({ where, text }) => {
    const [fault] = parseYaml(text.replaceAll('…', 'x')).faults
    return fault ? [`${where}: ${fault.message}`] : []
  })
  expect(wrong).toEqual([])
})

/** A pattern that YAML would not read as a text: without quotes around it. */
const bare = /(?<!["'\w*./(|\\-])(!\*|!\w|\*\.|\*\*\/)[\w*./]+(?!["'\w])/

test('patterns for the configuration stand in quotes, in its reference and in the example', () => {
  const described = fields().map(({ name, description }) => `${name}: ${description}`)
  const example = readFileSync('config/sluice.example.yaml', 'utf8').split('\n')
  expect([...described, ...example].filter((text) => bare.test(text))).toEqual([])
  expect('A negation such as !*.tmp brings back').toMatch(bare)
})

test('where the docs name a field and a pattern for it, the pattern stands in quotes', () => {
  const lines = pages.flatMap((page) => readFileSync(page, 'utf8').split('\n'))
  const about = lines.filter((line) =>
    /`(exclude|include|paths)`|\b(exclude|include|paths): \[/.test(line),
  )
  expect(about.length).toBeGreaterThan(5)
  expect(about.filter((line) => /`[!*][^`]+` in `(exclude|include|paths)`/.test(line))).toEqual([])
})

test('the setting that a message advises can be copied', () => {
  for (const path of ['a.pdf', 'b.Tar', "c.it's", 'd."x"', 'e.#1', 'f.[a]', 'g.ü: x']) {
    const { value, faults } = parseYaml(excludeSetting([path])!)
    expect([path, faults]).toEqual([path, []])
    expect(value).toEqual({ exclude: [expect.stringMatching(/^\*\./)] })
  }
})
