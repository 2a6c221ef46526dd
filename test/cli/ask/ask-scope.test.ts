import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import tmp from 'tmp'
import { describe, expect, test } from 'vitest'
import { hour_ms } from '../../../src/base/time/time.ts'
import { lastChat, rememberChat } from '../../../src/cli/ask/ask-question.ts'
import { filesInScope } from '../../../src/cli/ask/ask-scope.ts'
import { openRig, type Rig } from '../../ledger/views/view-rig.ts'

tmp.setGracefulCleanup()

const anything = { folders: ['notes'], paths: [], within_ms: undefined }

async function inScope(rig: Rig, change: Partial<Parameters<typeof filesInScope>[0]> = {}, max = 10) {
  const { state_dir, clock } = rig
  const found = await filesInScope({ ...anything, ...change }, { state_dir, now_ms: clock.now_ms(), max })
  return { ...found, files: found?.files.map(({ path }) => path) }
}

describe('the scope of a question', () => {
  test('holds each ready content with a present file once, the newest arrival first', async () => {
    const rig = await openRig()
    await rig.bringIn('old.txt', { md5: 'a'.repeat(32) })
    await rig.settle('on-its-way.txt')
    await rig.bringIn('sub/new.txt')
    await rig.settle('copy-of-old.txt', { md5: 'a'.repeat(32) })
    await rig.bringIn('gone.txt')
    await rig.record({ type: 'file_gone', folder: 'notes', path: 'gone.txt' })
    expect(await inScope(rig)).toEqual({ files: ['sub/new.txt', 'copy-of-old.txt'], is_cut: false })
    expect((await inScope(rig, { paths: ['old.txt', 'sub/'] })).files).toEqual(['sub/new.txt', 'old.txt'])
    expect((await inScope(rig, { folders: ['others'] })).files).toEqual([])
  })

  test('holds what arrived within a time span, and only the newest where there are too many', async () => {
    const rig = await openRig()
    for (const name of ['one', 'two', 'three']) {
      await rig.bringIn(`${name}.txt`)
      await rig.clock.advance(hour_ms)
    }
    expect((await inScope(rig, { within_ms: 2 * hour_ms })).files).toEqual(['three.txt', 'two.txt'])
    expect(await inScope(rig, {}, 2)).toEqual({ files: ['three.txt', 'two.txt'], is_cut: true })
    expect((await inScope(rig, {}, 3)).is_cut).toBe(false)
  })

  test('is empty before the first scan', async () => {
    const state_dir = tmp.dirSync({ prefix: 'sluice-none-', unsafeCleanup: true }).name
    expect(await filesInScope(anything, { state_dir, now_ms: 0 })).toBeUndefined()
  })
})

test('the last chat is remembered for each project; a damaged file counts as none', () => {
  const state_dir = join(tmp.dirSync({ prefix: 'sluice-chats-', unsafeCleanup: true }).name, 'state')
  expect(lastChat(state_dir, 'project_a')).toBeUndefined()
  rememberChat(state_dir, 'project_a', 'chat_1')
  rememberChat(state_dir, 'project_b', 'chat_2')
  rememberChat(state_dir, 'project_a', 'chat_3')
  expect(['a', 'b'].map((name) => lastChat(state_dir, `project_${name}`))).toEqual(['chat_3', 'chat_2'])
  for (const damaged of ['', '[]', '{"chats":null}', '{"chats":{"project_a":7}}']) {
    writeFileSync(join(state_dir, 'last-chats.json'), damaged)
    expect(lastChat(state_dir, 'project_a')).toBeUndefined()
  }
  rememberChat(state_dir, 'project_a', 'chat_4')
  expect(lastChat(state_dir, 'project_a')).toBe('chat_4')
})
