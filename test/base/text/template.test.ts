import { expect, test } from 'vitest'
import { renderTemplate, templateNames } from '../../../src/base/text/template.ts'

const values = { name: 'digest', date: '2026-11-23', files: 'a {{name}}.pdf', empty: '' }

test.each([
  ['{{name}}-{{ date }}.md', 'digest-2026-11-23.md'],
  ['[{{empty}}] {{name}}{{name}}', '[] digestdigest'],
  ['a {brace}, {{ two\n}} lines, {} and }}', 'a {brace}, {{ two\n}} lines, {} and }}'],
  ['{"a":{"b":{{date}}}}', '{"a":{"b":2026-11-23}}'],
])('%j -> %j', (template, text) => expect(renderTemplate(template, values)).toBe(text))

test('a value that looks like a template or a pattern of String.replace stays unchanged', () => {
  expect(renderTemplate('{{files}}', values)).toBe('a {{name}}.pdf')
  expect(renderTemplate('<{{name}}>', { name: '$&$1$$' })).toBe('<$&$1$$>')
})

test('each value is escaped, and the template is not', () => {
  expect(
    renderTemplate('"{{name}}"', { name: 'a"b' }, (value) => value.replaceAll('"', '\\"')),
  ).toBe('"a\\"b"')
})

test.each(['nam', 'constructor', ''])(
  '{{%s}} is refused, and the message lists the known names',
  (name) => {
    expect(() => renderTemplate(`x {{${name}}}`, values)).toThrow(
      expect.objectContaining({
        code: 'template.unknown_name',
        hint: expect.stringMatching('name'),
      }),
    )
  },
)

test('lists each name once, in order', () => {
  expect(templateNames('{{b}} {{ a }} {{b}} {{}} text')).toEqual(['b', 'a', ''])
})
