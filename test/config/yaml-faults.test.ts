import { describe, expect, test } from 'vitest'
import { faultsOf, minimal, prompt, service } from './faults-of.ts'

describe('a text without quotes', () => {
  test.each([
    ['exclude: [*.pdf]', '7:15', '*'],
    ['exclude: [*.pdf, *.docx]', '7:15', '*'],
    ['exclude: *.pdf', '7:14', '*'],
    ['exclude:\n      - *.pdf\n      - *.docx', '8:9', '*'],
    ['exclude:\n      - **/*.pdf', '8:9', '*'],
    ['exclude:\n      - *', '8:9', '*'],
    ['exclude:\n      - *.{a,b}', '8:9', '*'],
    ['include: [/a/, *.pdf]', '7:20', '*'],
    ['labels: [{ path: *.pdf, add: [legal] }]', '7:22', '*'],
    ['exclude: [!*.tmp]', '7:15', '!'],
    ['exclude: [!keep.txt, !other/]', '7:15', '!'],
    ['exclude:\n      - !*.tmp\n      - !/a/**', '8:9', '!'],
    ['exclude:\n      - !node_modules/', '8:9', '!'],
    ['exclude:\n      - ! x', '8:11', '!'],
    ['exclude:\n      - @eaDir/', '8:9', '@'],
    ['exclude:\n      - %temp%/', '8:9', '%'],
    ['exclude:\n      - `a`', '8:9', '`'],
    ['exclude: [~]', '7:15', '~'],
    ['exclude:\n      - {{a}}.txt', '8:10', '{'],
  ])('%s', (setting, place, first) => {
    expect(faultsOf(`${minimal}    ${setting}\n`)).toEqual([
      expect.stringMatching(
        new RegExp(`^${place}: this text begins with \\${first}, .*: put the text into quotes`),
      ),
    ])
  })

  test.each([
    ['cron: "0 8 * * 1"', 'cron: */5 * * * *', /^9:11: this text begins with \*/],
    ['cron: "0 8 * * 1"', 'cron: * * * * *', /^9:11: this text begins with \*/],
    ['prompt: what', 'prompt: {{folders}} what', /^10:14: this text begins with \{/],
    ['folders: [notes]', 'folders: [notes], paths: [*.pdf]', /^11:40: this text begins with \*/],
  ])('in a prompt: %s', (right, wrong, fault) => {
    const quoted = prompt.replace('0 8 * * 1', '"0 8 * * 1"')
    expect(faultsOf(minimal + quoted)).toEqual([])
    expect(faultsOf(minimal + quoted.replace(right, wrong))).toEqual([expect.stringMatching(fault)])
  })

  test.each([
    ['exclude:\n      - #*#', /^8:9: folders\[0\]\.exclude\[0\]: is empty: .*# or & into quotes$/],
    ['exclude:\n      - &a.pdf', /^8:\d+: folders\[0\]\.exclude\[0\]: is empty: .*into quotes$/],
    ['exclude:\n      - [ab]*.tmp', /^8:13: more text follows here: put .*into quotes$/],
    ['exclude:\n      - "a" b', /^8:13: more text follows here/],
    ['exclude: ["*.bak" "*.tmp"]', /^7:\d+: a comma is missing here: it divides the entries/],
    ['exclude: "*.bak", "*.tmp"', /^7:\d+: more text follows here: put a list into brackets/],
    ["exclude: 'What's new'", /^7:\d+: an apostrophe ends this text here: write it twice/],
    ["exclude: ['What's new']", /^7:\d+: an apostrophe ends this text here: write it twice/],
    ['exclude:\n      - a: b', /^8:9: .*\.exclude\[0\]: must be a text, .*section here: .*quotes$/],
    ['start: newer_than: 90d', /^7:12: this text holds a second colon: put it into quotes$/],
    ['exclude: ["C:\\Users"]', /^7:\d+: .*backslash in double quotes: use single quotes/],
    ['exclude: [2024]', /^7:15: .*must be a text, but YAML reads a number here: .*quotes$/],
    ['labels: [2024]', /^7:14: .*must be a text, but YAML reads a number here: .*quotes$/],
    ['labels: [true]', /^7:14: .*must be a text, but YAML reads true or false here/],
  ])('%s', (setting, fault) => {
    expect(faultsOf(`${minimal}    ${setting}\n`)).toEqual([expect.stringMatching(fault)])
  })

  test.each(['2024', '1.0', '0x10', '1e3', '007', 'true'])('name: %s', (name) => {
    const faults = faultsOf(minimal.replace('name: notes', `name: ${name}`))
    expect(faults).toEqual([
      expect.stringMatching(/^5:5: folders\[0\]\.name: must be a text, .*: put it into quotes$/),
    ])
    expect(faultsOf(minimal.replace('name: notes', `name: "${name}"`))).toEqual([])
  })

  test('references and tags that YAML defines still work', () => {
    const text = minimal.replace('/none/notes', '&where /none/notes')
    expect(faultsOf(`${text}    exclude: [!!str 2024, *where]\n`)).toEqual([])
  })
})

describe('several documents', () => {
  test.each([
    [`${minimal}---\n${minimal}`, 7],
    [`${minimal}---\n`, 7],
    [`---\n---\n${minimal}`, 2],
    [`${minimal}---\na: 1\n---\nb: 2\n`, 7],
  ])('%#', (text, line) => {
    expect(faultsOf(text)).toEqual([
      `${line}:1: a second document begins here (---): keep one, and take this line out`,
    ])
  })

  test('one document with marks around it is allowed', () => {
    expect(faultsOf(`---\n${minimal}...\n`)).toEqual([])
  })
})

describe('one slip of the indentation is one fault', () => {
  const unlike = 'this line is indented unlike those above it'
  test.each([
    ['a field of a folder, less', minimal.replace('    path', '   path'), `6:1: ${unlike}`],
    ['a field of a folder, more', minimal.replace('    path', '     path'), `6:1: ${unlike}`],
    ['a field of a section, less', minimal.replace('  project', ' project'), `3:1: ${unlike}`],
    ['a field of a section, more', minimal.replace('  project', '   project'), `3:1: ${unlike}`],
    ['the first field of a section', minimal.replace('  base', '   base'), `2:1: ${unlike}`],
    ['a section', minimal.replace('folders', ' folders'), `4:1: ${unlike}`],
    ['the first section', minimal.replace('service', ' service'), `1:1: ${unlike}`],
    ['an entry, less', `${minimal}    exclude:\n      - a\n     - b\n`, `9:1: ${unlike}`],
    ['an entry, far less', `${minimal}    exclude:\n      - a\n    - b\n`, `9:1: ${unlike}`],
    ['a second folder', `${minimal} - name: b\n   path: /none/b\n`, `7:1: ${unlike}`],
    ['an entry, before its field', `${minimal}    exclude:\n   - a\n`, `8:1: ${unlike}`],
    ['a second folder, more', `${minimal}   - name: b\n     path: /none/b\n`, `7:1: ${unlike}`],
    [
      'a field with many after it',
      `${minimal}   exclude: []\n    dot_files: true\n    watch: scan\nlog:\n  level: info\n`,
      `7:1: ${unlike}`,
    ],
    ['a tab', minimal.replace('    path', '\tpath'), '6:1: this line begins with a tab'],
    ['tabs', minimal.replaceAll('  ', '\t'), '2:1: this line begins with a tab'],
    ['a tab before an entry', `${minimal}    exclude:\n\t- a\n`, '8:1: this line begins with a'],
    [
      'a tab after spaces',
      minimal.replace('    path', '  \tpath'),
      '6:1: this line begins with a tab',
    ],
    ['a star', minimal.replace('- name', '* name'), '5:1: this line must begin with "- "'],
    [
      'no dash',
      `${minimal}    name: b\n    path: /none/b\n`,
      '7:5: this field stands twice in its',
    ],
    ['no space after a dash', minimal.replace('- name', '-name'), '5:1: this line must begin'],
    ['another dash', minimal.replace('- name', '– name'), '5:1: this line must begin with "- "'],
    ['a space of another kind', minimal.replace('  base', '\u00a0 base'), '2:1: this line holds'],
    ['no colon', minimal.replace('name: n', 'name n'), '5:5: this line has no ": "'],
    ['no space after a colon', minimal.replace('name: n', 'name:n'), '5:5: this line has no ": "'],
    ['no colon after a section', minimal.replace('folders:', 'folders'), '4:1: this line has no'],
    ['an open quote', minimal.replace('name: n', 'name: "n'), '5:11: nothing closes this quote'],
    ['an open bracket', `${minimal}    exclude: [a, b\n`, '7:14: nothing closes this quote or'],
    ['a comment in a bracket', `${minimal}    exclude: [a #b]\n`, '7:14: nothing closes this'],
    [
      'a comment that begins a list',
      `${minimal}    exclude: [#tmp, b]\n`,
      '7:14: nothing closes this quote or bracket before the # of',
    ],
    [
      'a number without a unit',
      `${minimal}    settle_ms: 5\n`,
      '7:5: folders[0].settle_ms: 5 is read as 5ms: must be a duration from 50ms',
    ],
    ['a field twice', `${minimal}    path: /none/b\n`, '7:5: this field stands twice'],
    ['a conflict', `${minimal}<<<<<<< HEAD\na: 1\n=======\n`, '7:1: this line is no YAML'],
  ])('%s', (_, text, fault) => {
    expect(faultsOf(text)).toEqual([expect.stringContaining(fault)])
  })

  test.each([
    [minimal.replace('    path', 'path'), '6:1: path: is indented as no part of folders[0]'],
    [minimal.replace('  project', 'project'), '3:1: project_id: is indented as no part of service'],
    [
      minimal.replace('  base', 'base').replace('  project', 'project'),
      '2:1: base_url: is indented as no part of service, where it belongs',
    ],
    [
      minimal.replace('folders:', '  folders:'),
      '4:3: service.folders: is indented as no part of the top of the file',
    ],
    [
      minimal + prompt.replace('scope: { folders: [notes] }', 'scope:\n    folders: [notes]'),
      '12:5: prompts[0].folders: is indented as no part of prompts[0].scope',
    ],
    [
      `${minimal}log:\n  level: info\n  prompts: []\n`,
      '9:3: log.prompts: is indented as no part of the top of the file, where it belongs',
    ],
    [minimal.replace('project_id', 'projct_id'), '3:3: service.projct_id: there is no such field'],
    [`${minimal}settle_ms: 2s\n`, '7:1: settle_ms: there is no such field; check its indentation'],
    [
      minimal.replace('    path', '  - path'),
      '6:5: folders[1]: is an entry of its own: take its dash',
    ],
    [`${service}folders:\n`, '4:1: folders: is empty'],
    [
      minimal.replace('path:', 'directory:'),
      '6:5: folders[0].directory: there is no such field; path is missing here',
    ],
  ])('a field in the wrong section: %#', (text, fault) => {
    expect(faultsOf(text)).toEqual([expect.stringContaining(fault)])
  })
})

describe('a prompt that names a folder with a fault has none of its own', () => {
  test.each([
    ['folders:\n', 'foldres:\n', '4:1: foldres: there is no such field; did you mean folders?'],
    ['name: notes', 'nmae: notes', '5:5: folders[0].nmae: there is no such field'],
    ['name: notes', 'name: 2024', '5:5: folders[0].name: must be a text'],
    ['name: notes', 'name: Notes', '5:5: folders[0].name: must be 1 to 64 small letters'],
    ['name: notes', 'name: my notes', '5:5: folders[0].name: must be 1 to 64 small letters'],
    ['- name: notes\n ', '  name: notes\n ', '5:5: folders.name: must have "- " before it'],
  ])('%j as %j', (right, wrong, fault) => {
    const text = minimal + prompt.replace('0 8 * * 1', '"0 8 * * 1"')
    expect(faultsOf(text)).toEqual([])
    expect(faultsOf(text.replace(right, wrong))).toEqual([expect.stringContaining(fault)])
  })
})

test.each(['Notes', 'my notes', '2024'])('a name that is wrong in both places: %s', (name) => {
  const text = (minimal + prompt.replace('0 8 * * 1', '"0 8 * * 1"'))
    .replace('name: notes', `name: ${name}`)
    .replace('[notes]', `[${name}]`)
  expect(faultsOf(text)).toEqual([expect.stringMatching(/^5:5: folders\[0\]\.name: must be/)])
})

describe('amounts', () => {
  test.each([
    ['max_file_bytes: 10M', '7:5: folders[0].max_file_bytes: can count in thousands or'],
    ['max_file_bytes: 10 Mb', '7:5: folders[0].max_file_bytes: can mean bits'],
    ['max_file_bytes: 1.000MB', '7:5: folders[0].max_file_bytes: can be read in two ways'],
    ['max_file_bytes: 1.000', '7:21: this number can be read in two ways'],
    ['max_file_bytes: 1,000', '7:5: folders[0].max_file_bytes: can be read in two ways'],
    [
      'max_file_bytes: two GB',
      '7:5: folders[0].max_file_bytes: must begin with a number in digits',
    ],
    ['settle_ms: 2M', '7:5: folders[0].settle_ms: can mean minutes or months'],
    ['settle_ms: 00:20', '7:5: folders[0].settle_ms: is no time of the day'],
    ['settle_ms: 2 hours', '7:5: folders[0].settle_ms: must be a duration from 50ms to 1h'],
    ['start: { newer_than: 3 months }', '7:14: folders[0].start.newer_than: must not count in'],
    ['start: newer_than 3 months', '7:5: folders[0].start: must not count in months or years'],
  ])('%s is one fault', (setting, fault) => {
    expect(faultsOf(`${minimal}    ${setting}\n`)).toEqual([expect.stringContaining(fault)])
  })

  test.each([
    ['bandwidth: 10 Mbit/s', '8:3: uploads.bandwidth: can mean bits'],
    ['max_bytes_per_day: 50G', '8:3: uploads.max_bytes_per_day: can count in thousands'],
    ['limit: { files: 10,000 }', '8:22: a comma begins another field here: write a number'],
    ['limit: { files: 10% }', '8:12: uploads.limit.files: must be a number alone, without'],
    [
      'limit: 5GB',
      '8:3: uploads.limit: must be off, or files, bytes or both, such as { files: 100000',
    ],
    ['bandwidth: 2MB', '8:3: uploads.bandwidth: must say in which time: write 2MB/s'],
    ['bandwidth: 10 MB', '8:3: uploads.bandwidth: must say in which time: write 10MB/s'],
    [
      'concurrency: "4"',
      '8:3: uploads.concurrency: must be a whole number from 1 to 64, without a unit, quotes',
    ],
    ['limit: { files: "100" }', '8:12: uploads.limit.files: must be a whole number from 1'],
  ])('%s is one fault', (setting, fault) => {
    expect(faultsOf(`${minimal}uploads:\n  ${setting}\n`)).toEqual([expect.stringContaining(fault)])
  })
})
