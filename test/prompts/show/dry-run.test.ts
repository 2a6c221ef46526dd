import { expect, test } from 'vitest'
import { SluiceError } from '../../../src/base/run/errors.ts'
import { callsText, dryRun } from '../../../src/prompts/show/dry-run.ts'
import { due_ms, settingsOf } from '../settings.ts'

const scope = { ...settingsOf().scope, folders: [], concepts: ['concept_00000000000000000000'] }
const refused = () =>
  Promise.reject(new SluiceError({ code: 'account.refused', message: 'no token' }))
const tools = { view: undefined, withRemote: refused, now_ms: due_ms }

test('without the service, a dry run is planned as a search, and a note says so', async () => {
  const planned = await dryRun(settingsOf({ read: undefined, scope }), tools)
  expect(JSON.parse(planned.bodies[0]!)).not.toHaveProperty('skills')
  expect(planned.notes).toEqual([
    'the service could not be asked whether it reads every file, which takes more calls',
  ])
})

test('with a setting, the service is not asked', async () => {
  const planned = await dryRun(settingsOf({ read: 'every_file', scope }), tools)
  expect(JSON.parse(planned.bodies[0]!).skills).toEqual(['sluice-read-every-file'])
  expect(planned.notes).toEqual([])
})

test.each([
  [1, 1, 'about 1 call of the model'],
  [1, 12, 'about 12 calls of the model (1 with read: search)'],
  [3, 3, 'about 3 calls of the model'],
])('%i questions that take %i calls: %s', (questions, calls, text) => {
  expect(callsText({ bodies: Array(questions).fill('{}'), calls })).toBe(text)
})
