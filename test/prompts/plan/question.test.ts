import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lastLine, runLine } from '../../../src/base/text/prompt-lines.ts'
import { max_prompt_length as contract_longest } from '../../../src/contract/limits.ts'
import { chatStart } from '../../../src/contract/messages/messages-chats.ts'
import { composePlan } from '../../../src/prompts/plan/plan-run.ts'
import {
  bodyToSend,
  composeTurns,
  matchesRun,
  max_prompt_length,
  requestBody,
  type TurnsWanted,
} from '../../../src/prompts/plan/question.ts'
import { noUnready } from '../../../src/prompts/plan/unready.ts'
import { assetOf, due_ms, hostile_name, runOf, settingsOf, turnOf, zone } from '../settings.ts'

const assets = (count: number) => Array.from({ length: count }, (_, index) => assetOf(index))
const line = 'Run weekly-digest 2026-11-23T08:00+01:00'

function turns(changes: Partial<TurnsWanted> = {}) {
  const wanted = {
    settings: settingsOf(),
    run: { due_ms },
    assets: assets(2),
    ids: {},
    since_ms: due_ms - 604_800_000,
  }
  return composeTurns({ ...wanted, ...changes })
}

test('the limit is that of the contract', () => {
  expect(max_prompt_length).toBe(contract_longest)
})

test('one turn: the template with its values, then the run line', () => {
  const { bodies, assets: taken } = turns()
  expect(bodies).toEqual([
    {
      prompt:
        'What is new in finance since 2026-11-16T08:00+01:00? 2 files arrived: \n- finance/0.pdf\n- finance/1.pdf\n' +
        `Be brief.\n\n${line}`,
      intelligence: 'expert',
      scope: { asset_ids: ['asset_00000000000000000000', 'asset_00000000000000000001'] },
    },
  ])
  expect(taken.map(({ content, turn }) => [content, turn])).toEqual([
    [0, 0],
    [1, 0],
  ])
  expect(chatStart.parse(JSON.parse(requestBody(bodies[0]!)))).toEqual(bodies[0])
})

test('the other fields and the other kinds of scope', () => {
  const settings = settingsOf({ provider: 'openai', skills: ['tables'], public_data: false })
  const { bodies } = turns({ settings, ids: { label_ids: ['label_1'], chat_ids: [] } })
  expect(bodies[0]).toMatchObject({ provider: 'openai', skills: ['tables'], public_data: false })
  expect(Object.keys(bodies[0]!.scope!).sort()).toEqual(['asset_ids', 'label_ids'])
})

test('without files only with other kinds of scope, and never with an empty scope', () => {
  expect(turns({ assets: [], ids: { label_ids: ['label_1'] } }).bodies[0]!.scope).toEqual({
    label_ids: ['label_1'],
  })
  expect(() => turns({ assets: [] })).toThrowError(
    expect.objectContaining({ code: 'prompts.empty_scope' }),
  )
  expect(() => turns({ assets: [], ids: { label_ids: [] } })).toThrowError(/nothing to ask about/)
})

test.each([
  ['since_last_run', due_ms - 5_000, '2026-11-23T07:59:55+01:00'],
  ['since_last_run', undefined, 'the beginning'],
  ['all', due_ms - 5_000, 'the beginning'],
  [{ within_ms: 3_600_000 }, due_ms - 5_000, '2026-11-23T07:00+01:00'],
] as const)('since, for fresh %j and the mark %s: %s', (fresh, since_ms, text) => {
  const settings = settingsOf({ prompt: '{{since}}', scope: { ...settingsOf().scope, fresh } })
  expect(turns({ settings, since_ms }).bodies[0]!.prompt).toBe(`${text}\n\n${line}`)
})

test('too many files for one run: it asks only about the oldest', () => {
  const { bodies, assets: taken } = turns({
    settings: settingsOf({ max_assets: 3 }),
    assets: assets(5),
  })
  expect([bodies.length, taken.map(({ content }) => content)]).toEqual([1, [0, 1, 2]])
})

test('too many files for one turn: batches, and a closing turn over their answers and chats', () => {
  const settings = settingsOf({ max_assets: 2, when_too_many: 'more_turns' })
  const { bodies, assets: taken } = turns({ settings, assets: assets(5) })
  expect(bodies.map(({ prompt }) => lastLine(prompt))).toEqual(
    [1, 2, 3, 4].map((turn) => `${line} turn ${turn} of 4`),
  )
  expect(bodies.slice(0, 3).map(({ scope }) => scope!.asset_ids!.length)).toEqual([2, 2, 1])
  expect(taken.map(({ turn }) => turn)).toEqual([0, 0, 1, 1, 2])
  const work = runOf({ turn: 3, turns: bodies.map((body) => turnOf(requestBody(body), 'x')) })
  const closing = JSON.parse(bodyToSend(work, settings))
  expect(closing.scope).toEqual({ chat_ids: ['chat_00000000000000000001'] })
  const answers = [1, 2, 3].map((part) => `## Part ${part} of 3\n\nx\n\n`).join('')
  const asked = bodies[3]!.prompt.replace(line, `The answers to the parts:\n\n${answers}${line}`)
  expect(closing.prompt).toBe(asked)
  const turns_sent = work.turns.with(3, turnOf(JSON.stringify(closing), undefined))
  expect(bodyToSend({ ...work, turns: turns_sent }, settings)).toBe(JSON.stringify(closing))
  expect(bodyToSend({ ...work, turn: 1 }, settings)).toBe(work.turns[1]!.body)
})

test('the number of turns is limited; the rest is left to the next run', () => {
  const settings = settingsOf({ max_assets: 1, when_too_many: 'more_turns' })
  const { bodies, assets: taken } = turns({ settings, assets: assets(57) })
  expect([bodies.length, taken.length]).toEqual([51, 50])
})

test('a prompt that was refused for its length is asked with fewer names', () => {
  const first = turns({ assets: assets(200) }).bodies[0]!
  const second = turns({ assets: assets(200), shorter_than: requestBody(first) }).bodies[0]!
  expect(second.prompt.length).toBeLessThanOrEqual(first.prompt.length / 2)
  expect(second.prompt).toMatch(/… and \d+ more\nBe brief\.\n\nRun /)
  expect(second.scope).toEqual(first.scope)
  const one = turns({ assets: assets(1) }).bodies[0]!
  expect(turns({ assets: assets(1), shorter_than: requestBody(one) }).bodies[0]!.prompt).toContain(
    '… and 1 more',
  )
})

test('a template that is too long by itself is a fault, not a request', () => {
  const settings = settingsOf({ prompt: 'x'.repeat(24_000) })
  expect(() => turns({ settings })).toThrowError(
    expect.objectContaining({ code: 'prompts.too_long' }),
  )
  const found = {
    fresh: assets(1),
    more: 0,
    unready: noUnready(),
    folders: [],
    changes: [],
    changes_to: undefined,
    label_ids: [],
    state: undefined,
    notes: [],
  }
  // Later tries are no shorter.
  expect(
    composePlan({ run: 7, due_ms, last_written_due_ms: undefined }, settings, found),
  ).toMatchObject({
    type: 'run_failed',
    run: 7,
    error: {
      code: 'prompts.too_long',
      message: expect.stringContaining('; the service takes 24,000; shorten the prompt'),
    },
  })
})

test('property: with any file names the prompt is short enough, has one line for each, and ends with the run line', () => {
  const names = fc.array(hostile_name, { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(names, fc.integer({ min: 1, max: 60 }), (some, times) => {
      const fresh = Array.from({ length: some.length * times }, (_, index) =>
        assetOf(index, `finance/${some[index % some.length]!.repeat(8)}`),
      )
      const settings = settingsOf({ max_assets: 10_000, prompt: 'Files: {{files}}' })
      const { prompt } = turns({ settings, assets: fresh }).bodies[0]!
      expect(prompt.length).toBeLessThanOrEqual(max_prompt_length)
      const lines = prompt.split(/[\n\r\u0085\u2028\u2029]/)
      expect(lines.at(-1)).toBe(line)
      expect(lines.filter((text) => text.startsWith('Run '))).toEqual([line])
      const listed = lines.slice(1, -2)
      expect(
        listed.every((text) => text.startsWith('- finance/') || /^… and [\d,]+ more$/.test(text)),
      ).toBe(true)
      if (!listed.at(-1)!.startsWith('… ')) expect(listed).toHaveLength(fresh.length)
      expect(matchesRun(prompt, line)).toBe(true)
    }),
    { numRuns: 100 },
  )
})

test('a turn is recognised by its last line alone', () => {
  const work = runOf({ turns: [turnOf(requestBody(turns().bodies[0]!), undefined)] })
  expect(matchesRun(`Other words\n\n${line}\n\n`, work)).toBe(true)
  expect(matchesRun(`Other words\r\n${line}\r\n`, line)).toBe(true)
  expect(matchesRun(`${line}\nand more`, work)).toBe(false)
  expect(matchesRun(`${line} turn 1 of 2`, work)).toBe(false)
  expect(matchesRun('', '')).toBe(false)
})

test('a run by hand has its time in the line', () => {
  expect(runLine('p', due_ms + 61_234, zone)).toBe('Run p 2026-11-23T08:01:01.234+01:00')
})
