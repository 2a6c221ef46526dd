import { describe, expect, test } from 'vitest'
import { hour_ms } from '../../../src/base/time/time.ts'
import { filesInScope, narrowingOf, scopeText } from '../../../src/prompts/ask/ask-scope.ts'
import { withArrivalsView } from '../../../src/status/with-view.ts'
import { openRig, type Rig } from '../../ledger/views/view-rig.ts'

const anything = { folders: ['notes'], paths: [], within_ms: undefined }

function inScope(
  { state_dir, clock }: Rig,
  change: Partial<Parameters<typeof filesInScope>[0]> = {},
  max = 10,
) {
  return withArrivalsView(state_dir, (view) => {
    const { files, is_cut } = filesInScope({ ...anything, ...change }, view, clock.now_ms(), max)
    return { is_cut, files: files.map(({ path }) => path) }
  })
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
    expect((await inScope(rig, { paths: ['old.txt', 'sub/'] })).files).toEqual([
      'sub/new.txt',
      'old.txt',
    ])
    expect((await inScope(rig, { folders: ['others'] })).files).toEqual([])
  })

  test('counts files, as the status does, and says how many are copies', async () => {
    const rig = await openRig()
    await rig.bringIn('a.txt', { md5: 'a'.repeat(32) })
    await rig.settle('copy of a.txt', { md5: 'a'.repeat(32) })
    await rig.bringIn('b.txt')
    const others = { labels: [], chats: [], concepts: [], projects: [], views: [] }
    const config = {
      folders: [{ name: 'notes', project_id: 'project_1' }],
      service: { project_id: 'project_1' },
    }
    const narrowing = narrowingOf({ ...anything, others }, config)
    const found = await withArrivalsView(rig.state_dir, (view) =>
      filesInScope(anything, view, rig.clock.now_ms()),
    )
    expect(scopeText(narrowing, found, ['project_1'])).toBe(
      '3 files of notes (1 is a copy of another)',
    )
    const whole = { ...narrowing, about_files: false }
    expect(scopeText(whole, undefined, ['project_1', 'project_1'])).toBe('the whole project')
    expect(scopeText(whole, undefined, ['project_1', 'project_2'])).toBe(
      'the whole project project_1',
    )
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

  test('is empty before the first scan', () => {
    expect(filesInScope(anything, undefined, 0)).toEqual({
      files: [],
      copies: 0,
      is_cut: false,
      left_out: 0,
    })
  })
})
