import { expect, test } from 'vitest'
import { system_clock } from '../../../src/base/time/time.ts'
import { type AskStep, ask } from '../../../src/prompts/ask/ask.ts'
import { narrowingOf } from '../../../src/prompts/ask/ask-scope.ts'
import { searched_only } from '../../../src/prompts/plan/plan-run.ts'
import { successOf } from '../../remote/fixture.ts'
import { openRunRig, type RunRig } from './answer-run-rig.ts'

const others = { labels: [], chats: [], concepts: [], projects: [], views: [] }
const waiting = { first_ms: 5, max_ms: 30, deadline_ms: 20_000 }

/** Asks about these files of the folder `notes`, as a page does. */
async function askAbout(
  { remote, project_id }: RunRig,
  asset_ids: readonly string[],
  folders = ['notes'],
  read: 'search' | 'every_file' = 'search',
) {
  const wanted = { folders, paths: [], within_ms: undefined, others }
  const config = {
    folders: [{ name: 'notes', project_id }],
    service: { project_id: 'project_of_others' },
  }
  const files = asset_ids.map((asset_id, at) => ({
    asset_id,
    folder: 'notes',
    path: `${at}.md`,
    arrived_ms: 0,
  }))
  const asked = {
    text: 'Where is the harbour?',
    narrowing: narrowingOf(wanted, config),
    found: { files, copies: 0, is_cut: false, left_out: 0 },
    fields: {
      intelligence: 'auto' as const,
      provider: undefined,
      skills: [],
      read,
      public_data: undefined,
    },
    chat_id: undefined,
  }
  const steps: AskStep[] = []
  const deleted = async () => []
  const tools = { remote, clock: system_clock, stopped: new AbortController().signal, deleted }
  for await (const step of ask(asked, tools, waiting)) steps.push(step)
  return steps
}

test('a question yields its turn, then the answer with the files that it was asked over', async () => {
  const rig = await openRunRig()
  const asset_id = await rig.bringIn('a.md')
  const [first, last, ...more] = await askAbout(rig, [asset_id])
  expect(more).toEqual([])
  expect(first).toMatchObject({
    state: 'asked',
    turn: { chat_id: expect.stringMatching(/^chat_/) },
  })
  expect(last).toMatchObject({
    state: 'answered',
    answer: {
      project_id: rig.project_id,
      scope: { whole_project: false, files: 1 },
      answer: expect.stringContaining('harbour'),
      sources: [{ name: 'notes/0.md', asset_id }],
    },
  })
})

test('a question about files is not asked if there are none: it would be about the whole project', async () => {
  const rig = await openRunRig()
  await expect(askAbout(rig, [])).rejects.toMatchObject({ code: 'usage.scope' })
  await expect(askAbout(rig, [], [])).rejects.toMatchObject({ code: 'usage.scope' })
  expect(successOf(await rig.remote.listChats(rig.project_id, {})).items).toEqual([])
})

test('a service that does not read every file is asked to search them, and the answer says so', async () => {
  const rig = await openRunRig()
  const asset_id = await rig.bringIn('a.md')
  const refusal = { status: 400, code: 'publicapi.chat.skill.unknown' }
  rig.service.injectFaults({ failures: [{ route: 'chats.start', times: 1, ...refusal }] })
  const steps = await askAbout(rig, [asset_id], ['notes'], 'every_file')
  expect(steps.at(-1)).toMatchObject({ answer: { note: searched_only } })
  expect(rig.starts()).toBe(2)
})

test('a question that is refused for another reason than its reading fails', async () => {
  const rig = await openRunRig()
  const asset_id = await rig.bringIn('a.md')
  const refusal = { status: 400, code: 'publicapi.chat.prompt.unwanted' }
  rig.service.injectFaults({ failures: [{ route: 'chats.start', ...refusal }] })
  const asked = askAbout(rig, [asset_id], ['notes'], 'every_file')
  await expect(asked).rejects.toMatchObject({ code: 'answer.refused' })
  expect(rig.starts()).toBe(2)
})
