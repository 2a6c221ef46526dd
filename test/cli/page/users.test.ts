import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Home } from '../sluice.ts'

test('a new password keeps role and folders; a name is one line', async (context) => {
  const home = await Home.of(context, { 'a.txt': 'one' })
  const add = (...args: string[]) =>
    home.inProcess('page', 'user', 'add', ...args, '--password-file', `${home.path}/pw`)
  writeFileSync(join(home.path, 'pw'), 'correct horse battery\n', { mode: 0o600 })
  expect(await add('ada', '--role', 'operator', '--folder', 'docs')).toMatchObject({ code: 0 })
  expect((await add('ada')).out).toBe('ada may use the page as operator, and sees docs\n')
  expect((await home.inProcess('page', 'user', 'list')).out).toMatch(/ada +operator +docs +yes/)
  for (const name of ['', ' ', 'a\nb', '\u001b[31m']) expect((await add(name)).code).toBe(64)
  expect(await home.inProcess('page', 'user', 'remove', 'ada')).toMatchObject({ code: 0 })
  expect((await home.inProcess('page', 'user', 'remove', 'ada')).code).toBe(64)
})
