import { expect, test } from 'vitest'
import { searched_only } from '../../../src/prompts/plan/plan-run.ts'
import { openRunRig } from './answer-run-rig.ts'

const other = `project_${'0123456789'.repeat(2)}`

test.each([
  [402, 'billing.plan.exceeded'],
  [403, 'chats.right.missing'],
])(
  'A-39 a question that is refused with %i fails its run, and stops nothing else',
  async (status, code) => {
    const rig = await openRunRig()
    await rig.bringIn('a.md')
    rig.service.injectFaults({ failures: [{ route: 'chats.start', status, code }] })
    await rig.due()
    await rig.run()
    expect(rig.reported.at(-1)).toMatch(new RegExp(`failed.*answered ${status} when.*stay fresh`))
    expect(rig.starts()).toBe(1)
    expect(rig.circuits.tripped()).toEqual([])
  },
)

test.each([400, 403, 404])(
  'A-39 a list of projects that is refused with %i checks no id, and the question goes on',
  async (status) => {
    const rig = await openRunRig({ scope: { projects: [other] } })
    await rig.bringIn('a.md')
    const code = 'projects.right.missing'
    rig.service.injectFaults({ failures: [{ route: 'projects.list', status, code }] })
    await rig.due()
    await rig.runTo('planned')
    expect(rig.circuits.tripped()).toEqual([])
    expect(JSON.stringify(await rig.claim())).toContain(`${other}: not checked, since`)
  },
)

test('a service that does not read every file is asked to search them, and the report says so', async () => {
  const rig = await openRunRig({ settings: { read: 'every_file' } })
  await rig.bringIn('a.md')
  const refusal = { status: 400, code: 'publicapi.chat.skill.unknown' }
  rig.service.injectFaults({ failures: [{ route: 'chats.start', times: 1, ...refusal }] })
  await rig.due()
  await rig.run()
  expect(rig.starts()).toBe(2)
  expect(rig.written()).toContain(searched_only)
})
