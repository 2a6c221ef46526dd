import { describe, expect, test } from 'vitest'
import { faultsOf, minimal, prompt } from './faults-of.ts'

describe('typographic quotes', () => {
  test.each([
    ...[
      '“x”',
      '‘x’',
      '„x“',
      '«x»',
      '»x«',
      '“x"',
      '″x″',
      '′x′',
      '´x´',
      '‚x‘',
      '‹x›',
      '＂x＂',
      '＇x＇',
    ],
    ...['「x」', '『x』', '〝x〞', '❝x❞', 'ʼxʼ', 'ˮxˮ'],
  ])('%s', (quoted) => {
    expect(faultsOf(`${minimal}    exclude: [${quoted}, ${quoted}]\n`)).toEqual([
      expect.stringMatching(/^7:15: .*typographic quote, .*: use plain quotes/),
    ])
  })

  test.each([
    ['name: notes', 'name: “notes”', '5:11'],
    ['name: notes', '“name”: notes', '5:5'],
    ['/none/notes', '“/none/notes”', '6:11'],
    ['https://assistant.example.com', '“https://assistant.example.com”', '2:13'],
  ])('%s as %s', (right, wrong, place) => {
    expect(faultsOf(minimal.replace(right, wrong))).toEqual([
      expect.stringMatching(new RegExp(`^${place}: .*typographic quote`)),
    ])
  })

  test('may stand inside a text', () => {
    expect(faultsOf(minimal + prompt.replace('what is', 'what “is”'))).toEqual([])
  })
})

describe('other encodings', () => {
  const utf32 = (text: string) =>
    Buffer.from(Uint32Array.from([...text], (one) => one.codePointAt(0)!).buffer)
  const wide = Buffer.from(`\ufeff${minimal}`, 'utf16le')
  test.each([
    ['UTF-16', wide, /^1:1: the file is saved as UTF-16 .*: save it as UTF-8$/],
    ['UTF-32', utf32(`\ufeff${minimal}`), /^1:1: the file is saved as UTF-32: save it as UTF-8$/],
    ['UTF-32, big end first', utf32(`\ufeff${minimal}`).swap32(), /^1:1: .* UTF-32/],
    ['UTF-32, no mark', utf32(minimal), /^1:1: .* UTF-32/],
    ['UTF-32, big end first, no mark', utf32(minimal).swap32(), /^1:1: .* UTF-32/],
    ['UTF-16, big end first', Buffer.from(wide).swap16(), /^1:1: the file is saved as UTF-16/],
    ['UTF-16, no mark', wide.subarray(2), /^1:1: the file is saved as UTF-16/],
    [
      'Latin-1',
      Buffer.from(minimal.replace('/notes', '/Büro'), 'latin1'),
      /^6:18: the file is saved as Latin-1 .*: save it as UTF-8$/,
    ],
    ['Latin-1 in a comment', Buffer.from(`${minimal}# Büro`, 'latin1'), /^7:4: .*Latin-1/],
  ])('%s', (_, content, fault) => {
    expect(faultsOf(content)).toEqual([expect.stringMatching(fault)])
  })

  test('a byte order mark and the line ends of other systems are allowed', () => {
    expect(faultsOf(`\ufeff${minimal}`)).toEqual([])
    expect(faultsOf(minimal.replaceAll('\n', '\r\n'))).toEqual([])
    expect(faultsOf(minimal.replaceAll('\n', '\r'))).toEqual([])
  })
})

describe('a text that a comment cuts', () => {
  const cut = /: a comment begins with this # and ends the text: put the text into quotes/
  const delivery = `${prompt}    deliver:\n`
  test.each([
    ['a prompt', minimal + prompt.replace('new?', 'new #docs'), '10:25'],
    ['a prompt, to its end', minimal + prompt.replace('new?', 'new in C #'), '10:30'],
    ['a prompt, with a comment behind', minimal + prompt.replace('new?', 'new #docs # x'), '10:25'],
    ['a prompt, after a tab', minimal + prompt.replace('new?', 'new\t#1'), '10:25'],
    [
      'a prompt, in its second line',
      minimal + prompt.replace('new?', 'new\n      in #1?'),
      '11:10',
    ],
    [
      'a prompt, before its second line',
      minimal + prompt.replace('new?', 'new #1\n      x'),
      '10:25',
    ],
    ['a path', minimal.replace('/notes\n', '/Team #1\n'), '6:22'],
    ['a path, in its middle', minimal.replace('/notes\n', '/Team #1/x\n'), '6:22'],
    ['a name', minimal.replace('name: notes', 'name: notes #1'), '5:17'],
    ['a pattern', `${minimal}    exclude:\n      - old #1/\n`, '8:13'],
    ['a label', `${minimal}    labels:\n      - legal #2\n`, '8:15'],
    ['a token file', minimal.replace('folders', '  token_file: /etc/a #1\nfolders'), '4:22'],
    ['a state directory', `${minimal}state_dir: /var/a #1\n`, '7:19'],
    [
      'a directory of reports',
      `${minimal}${delivery}      - file:\n          dir: /srv/Team #1\n`,
      '14:26',
    ],
    [
      'an argument',
      `${minimal}${delivery}      - command:\n          run:\n            - /bin/x\n            - a #1\n`,
      '16:17',
    ],
  ])('%s', (_, text, place) => {
    expect(faultsOf(text)).toEqual([expect.stringMatching(cut)])
    expect(faultsOf(text)[0]).toMatch(new RegExp(`^${place}:`))
  })

  test.each([
    ['a comment after a prompt', minimal + prompt.replace('new?', 'new? # weekly')],
    ['two marks', minimal + prompt.replace('new?', 'new? ## weekly')],
    ['a comment after a path', minimal.replace('/notes\n', '/notes # of the team\n')],
    ['a comment after a pattern', `${minimal}    exclude:\n      - old/ # of 2019\n`],
    ['quotes', minimal + prompt.replace('what is new?', '"new #docs" #weekly')],
    ['no space before', minimal.replace('/notes\n', '/notes#1\n')],
    ['a block', minimal + prompt.replace('what is new?', '|\n      new #docs')],
    ['a number', `${minimal}uploads:\n  concurrency: 4 #more on fast lines\n`],
    ['a choice', `${minimal}    on_delete: keep #for now\n`],
    ['a schedule', minimal + prompt.replace('* * 1', '* * 1 #mondays')],
    ['a list', `${minimal}    exclude: [old/] #all\n`],
  ])('%s cuts nothing', (_, text) => {
    expect(faultsOf(text)).toEqual([])
  })

  test('a list in brackets, whose end is in the comment', () => {
    expect(faultsOf(`${minimal}    exclude: [a #b]\n`)).toEqual([
      expect.stringMatching(
        /^7:14: nothing closes this quote or bracket before the # of a comment/,
      ),
    ])
  })

  test('a text that goes on after a line of comment', () => {
    const text = prompt.replace('new?', 'new\n      # docs\n      here?')
    expect(faultsOf(minimal + text)).toEqual([
      expect.stringMatching(/^12:1: a comment ends the text above this line: put .* into quotes/),
    ])
  })
})

describe('a token where something else is wanted', () => {
  const token = 'pat_0123456789abcdef0123456789abcdef'
  const keep_out =
    /: a token does not belong into this file: put it into a file of its own \(chmod 600\)/
  test.each([
    ['token_file', minimal.replace('folders', `  token_file: ${token}\nfolders`), 4],
    ['token_file in quotes', minimal.replace('folders', `  token_file: "${token}"\nfolders`), 4],
    [
      'token_file, with "Bearer"',
      minimal.replace('folders', `  token_file: Bearer ${token}\nfolders`),
      4,
    ],
    ['ca_file', minimal.replace('folders', `  ca_file: ${token}\nfolders`), 4],
    ['token', minimal.replace('folders', `  token: ${token}\nfolders`), 4],
    ['project_id', minimal.replace(/project_id: .*/, `project_id: ${token}`), 3],
    ['base_url', minimal.replace(/base_url: .*/, `base_url: ${token}`), 2],
    ['path', minimal.replace('/none/notes', token), 6],
  ])('%s is one fault', (_, text, line) => {
    expect(faultsOf(text)).toEqual([expect.stringMatching(keep_out)])
    expect(faultsOf(text)[0]).toMatch(new RegExp(`^${line}:(?!.*${token})`))
  })

  test.each(['pat_short', 'hunter2', 'token.txt', '$HOME/token'])('token_file: %s', (text) => {
    const wrong = minimal.replace('folders', `  token_file: ${text}\nfolders`)
    expect(faultsOf(wrong)).toEqual([
      '4:3: service.token_file: must be the absolute path of a file that holds the token, or begin with ~/',
    ])
  })
})

describe('a text in lines of its own', () => {
  const withText = (text: string) => minimal + prompt.replace('what is new?', text)
  const unindented = /: the text after \| or > must be indented more than the name of its field$/
  test.each([
    ['as its field', '|\n    what is new?', '11:1'],
    ['less than its field', '|\n  what is new?', '11:1'],
    ['not at all', '>\nwhat is new?', '11:1'],
    ['two lines', '|\n    what is new?\n    and then?', '11:1'],
    ['a text with a colon', '|\n    Tell me: what is new?', '11:1'],
    ['a list', '|\n    - what\n    - is new?', '11:1'],
    ['no text', '|', '10:13'],
  ])('that is indented wrongly: %s', (_, text, place) => {
    expect(faultsOf(withText(text))).toEqual([expect.stringMatching(unindented)])
    expect(faultsOf(withText(text))[0]).toMatch(new RegExp(`^${place}:`))
  })

  test.each(['|\n      what\n    is new?', 'what\n    is new?'])(
    'whose second line is indented too little: %j',
    (text) => {
      expect(faultsOf(withText(text))).toEqual([
        expect.stringMatching(/^1[12]:5: this line has no ": ".*; a line that continues the text/),
      ])
    },
  )

  test.each(['|\n      what\n      is new?', 'what\n      is new?', '"what\n      is new?"'])(
    'is allowed in a prompt: %j',
    (text) => {
      expect(faultsOf(withText(text))).toEqual([])
    },
  )

  test.each([
    ['a pattern', `${minimal}    exclude:\n      - old/\n        new/\n`, '9:9'],
    ['an entry', `${minimal}    exclude:\n      - old/\n       - new/\n`, '9:8'],
    ['a path', minimal.replace('/notes', '/notes\n      of mine'), '7:7'],
    ['a label', `${minimal}    labels:\n      - legal\n       - law\n`, '9:8'],
  ])('is none in another field: %s', (_, text, place) => {
    expect(faultsOf(text)).toEqual([
      expect.stringMatching(new RegExp(`^${place}: this line is read as a part of the text above`)),
    ])
  })
})

describe('other characters', () => {
  const control = /: this line holds a zero byte or another control character: take it out$/
  test.each([
    ['a zero byte in a name', minimal.replace('name: notes', 'name: no\0tes'), '5:13'],
    ['in a path', minimal.replace('/notes', '/no\0tes'), '6:19'],
    ['in a comment', `${minimal}# a\0b\n`, '7:4'],
    ['in the indentation', minimal.replace('    path', '  \0 path'), '6:3'],
    ['at the beginning', `\0${minimal}`, '1:1'],
    ['at the end', minimal + '\0'.repeat(300), '7:1'],
    ['alone', '\0'.repeat(300), '1:1'],
    ['an escape', minimal.replace('/notes', '/no\x1btes'), '6:19'],
    ['a form feed', minimal.replace('folders', '\ffolders'), '4:1'],
    ['the end of a file of DOS', `${minimal}\x1a`, '7:1'],
  ])('%s', (_, text, place) => {
    expect(faultsOf(text)).toEqual([expect.stringMatching(control)])
    expect(faultsOf(text)[0]).toMatch(new RegExp(`^${place}:`))
  })

  test.each(['https://assistant.example.com"', 'https://assistant.example.com”'])(
    'a quote that nothing opens: %s',
    (address) => {
      expect(faultsOf(minimal.replace(/base_url: .*/, `base_url: ${address}`))).toEqual([
        expect.stringMatching(/^2:13: this text ends with a quote that nothing opens/),
      ])
    },
  )

  test('an apostrophe and a quote may end a prompt', () => {
    expect(faultsOf(minimal + prompt.replace('new?', 'the users\' "x"'))).toEqual([])
  })
})

describe('a name in braces without a colon', () => {
  const no_colon = 'this field has no ": ", a colon and a space, after its name; a text that begins'
  test.each([
    ['{ files }', `8:12: ${no_colon}`],
    ['{ files 100 }', `8:12: ${no_colon}`],
    ['{ files:100 }', `8:12: ${no_colon}`],
    ['{ files: 100, bytes }', `8:24: ${no_colon}`],
    ['{ files', '8:10: nothing closes this quote or bracket'],
    ['{ files: 100', '8:10: nothing closes this quote or bracket'],
    ['{ bytes: 1,000,000 }', '8:21: a comma begins another field here: write a number'],
    ['{ bytes: 1 GB, 500 MB }', '8:25: a comma begins another field here: write a number'],
  ])('limit: %s', (limit, fault) => {
    expect(faultsOf(`${minimal}uploads:\n  limit: ${limit}\n`)).toEqual([
      expect.stringContaining(fault),
    ])
  })

  test.each(['limit { files', 'limit { files: 100 }', 'limit:{ files: 100 }'])(
    'a field before them without a colon: %s',
    (limit) => {
      const text = `${minimal}uploads:\n  ${limit}\n  order: newest\n`
      expect(faultsOf(text)).toEqual([expect.stringContaining(`8:3: ${no_colon}`)])
    },
  )

  test('braces over several lines, without commas', () => {
    expect(faultsOf(`${minimal}uploads: {\n  concurrency: 4\n  order: newest\n}\n`)).toEqual([
      expect.stringMatching(/^8:16: a comma is missing here/),
    ])
  })

  test('no value is shown: it may be a secret', () => {
    const smtp = `${minimal}smtp: { host: mail.example.com, user:hunter2 }\n`
    expect(faultsOf(smtp)).toEqual([expect.not.stringContaining('hunter2')])
  })
})
