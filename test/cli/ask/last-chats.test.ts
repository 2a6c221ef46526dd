import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import tmp from 'tmp'
import { expect, test } from 'vitest'
import { lastChat, rememberChat } from '../../../src/cli/ask/last-chats.ts'

tmp.setGracefulCleanup()

test('the last chat is remembered for each project; a damaged file counts as none', () => {
  const state_dir = join(
    tmp.dirSync({ prefix: 'sluice-chats-', unsafeCleanup: true }).name,
    'state',
  )
  expect(lastChat(state_dir, 'project_a')).toBeUndefined()
  rememberChat(state_dir, 'project_a', 'chat_1')
  rememberChat(state_dir, 'project_b', 'chat_2')
  rememberChat(state_dir, 'project_a', 'chat_3')
  expect(['a', 'b'].map((name) => lastChat(state_dir, `project_${name}`))).toEqual([
    'chat_3',
    'chat_2',
  ])
  for (const damaged of ['', '[]', '{"chats":null}', '{"chats":{"project_a":7}}']) {
    writeFileSync(join(state_dir, 'last-chats.json'), damaged)
    expect(lastChat(state_dir, 'project_a')).toBeUndefined()
  }
  rememberChat(state_dir, 'project_a', 'chat_4')
  expect(lastChat(state_dir, 'project_a')).toBe('chat_4')
})
