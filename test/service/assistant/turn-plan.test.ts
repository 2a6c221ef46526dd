import fc from 'fast-check'
import { expect, test } from 'vitest'
import { intelligence_modes, providers } from '../../../src/contract/messages/messages-chats.ts'
import {
  type AssistantConfig,
  default_assistant,
  readAssistantConfig,
} from '../../../src/service/assistant/assistant-config.ts'
import {
  keptOptions,
  planTurn,
  type TurnOptions,
} from '../../../src/service/assistant/turn-plan.ts'
import { assistantFile, model_classes } from './assistant-file.ts'

const config: AssistantConfig = readAssistantConfig(
  assistantFile({
    assistant: 'model',
    model: { base_url: 'http://127.0.0.1:1' },
    model_classes,
    web_search: { url: 'http://127.0.0.1:1/?q={query}' },
  }),
)
const usual = keptOptions(null)
const asked = { prompt: 'When does the harbour close?', scope_ids: 0, skills: 0 }

test.each([
  ['fast', asked],
  ['fast', { ...asked, prompt: 'x'.repeat(1_499), scope_ids: 19 }],
  ['expert', { ...asked, prompt: 'x'.repeat(1_500) }],
  ['expert', { ...asked, scope_ids: 20 }],
  ['expert', { ...asked, skills: 1 }],
  ['expert', { ...asked, prompt: 'Compare the two tenders.' }],
  ['expert', { ...asked, prompt: 'Bitte VERGLEICHE beide Angebote.' }],
  ['fast', { ...asked, prompt: 'Is a comparative study there?' }],
  ['research', { ...asked, prompt: 'Research what competitors charge.' }],
  ['research', { prompt: `Research this. ${'x'.repeat(2_000)}`, scope_ids: 50, skills: 3 }],
  ['fast', { ...asked, prompt: 'Who heads the researchers’ group?' }],
])('C-18 auto: %s for %j', (mode, seen) => {
  expect(planTurn(default_assistant, usual, seen).mode).toBe(mode)
  expect(planTurn(config, usual, seen).mode).toBe(mode)
})

test('C-18 each mode uses its row of the table: class of model, passages, thinking, tools', () => {
  for (const intelligence of ['fast', 'expert', 'research'] as const) {
    const row = config.modes[intelligence]
    expect(planTurn(config, { ...usual, intelligence }, asked)).toEqual({
      mode: intelligence,
      models: model_classes[row.model_class as 'small' | 'large'],
      passages: row.passages,
      thinking: row.thinking,
      tools: new Set(row.tools),
    })
  }
})

const any_options: fc.Arbitrary<TurnOptions> = fc.record({
  intelligence: fc.constantFrom(...intelligence_modes),
  provider: fc.constantFrom(...providers),
  skills: fc.array(fc.string()),
  public_data: fc.boolean(),
  user: fc.option(fc.nat()),
})
const any_asked = fc.record({
  prompt: fc.string({ maxLength: 2_000 }),
  scope_ids: fc.nat(30),
  skills: fc.nat(3),
})

test('C-02 provider moves its models to the front and changes nothing else', () => {
  fc.assert(
    fc.property(any_options, any_asked, (options, seen) => {
      const { models, ...rest } = planTurn(config, options, seen)
      const { models: usual_models, ...usual_rest } = planTurn(
        config,
        { ...options, provider: 'automatic' },
        seen,
      )
      expect(rest).toEqual(usual_rest)
      const wanted = usual_models.filter(({ provider }) => provider === options.provider)
      const others = usual_models.filter(({ provider }) => provider !== options.provider)
      expect(models).toEqual([...wanted, ...others])
    }),
  )
})

test('C-19 public_data false turns the web off and nothing else; without a search engine it is off', () => {
  fc.assert(
    fc.property(any_options, any_asked, (options, seen) => {
      const open = planTurn(config, { ...options, public_data: true }, seen)
      const without = [...open.tools].filter((tool) => tool !== 'web')
      const closed = { ...open, tools: new Set(without) }
      expect(planTurn(config, { ...options, public_data: false }, seen)).toEqual(closed)
      const { web_search: _, ...no_engine } = config
      expect(planTurn(no_engine, { ...options, public_data: true }, seen)).toEqual(closed)
    }),
  )
})
