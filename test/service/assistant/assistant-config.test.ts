import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  default_assistant,
  readAssistantConfig,
} from '../../../src/service/assistant/assistant-config.ts'
import { start, temporaryFolder } from '../fixture.ts'
import { assistantFile, model_classes } from './assistant-file.ts'

const page = readFileSync(new URL('../../../docs/service.md', import.meta.url), 'utf8')

test('C-18 docs/service.md has the table in force, the rules of auto and every limit', () => {
  for (const [mode, { model_class, passages, thinking, tools }] of Object.entries(
    default_assistant.modes,
  )) {
    expect(page).toContain(
      `| \`${mode}\` | ${model_class} | ${passages} | ${thinking} | ${tools.join(', ')} |`,
    )
  }
  const words = default_assistant.auto.flatMap((rule) => rule.words ?? [])
  for (const word of words) expect(page).toContain(word)
  const { deadline_ms, answers_at_once, context_chars, max_calls, max_memories, max_past_chars } =
    default_assistant
  const model = { base_url: 'https://models.example.org/v1' }
  const web_search = { url: 'https://search.example.org/?q={query}' }
  const read = readAssistantConfig(assistantFile({ model, web_search }))
  const { timeout_ms, max_answer_bytes, max_history_chars } = read.model!
  for (const [name, value] of Object.entries({
    deadline_ms,
    answers_at_once,
    context_chars,
    max_calls,
    max_memories,
    max_past_chars,
    'model.timeout_ms': timeout_ms,
    'model.max_answer_bytes': max_answer_bytes,
    'model.max_history_chars': max_history_chars,
    'web_search.max_results': read.web_search!.max_results,
    'web_search.timeout_ms': read.web_search!.timeout_ms,
  })) {
    expect(page).toContain(`| \`${name}\` | ${value} |`)
  }
})

test('the example of docs/service.md is valid, and its key files lie beside the configuration', () => {
  const example = /```json\n([\s\S]*?)```/.exec(page)![1]!
  const file = join(temporaryFolder(), 'assistant.json')
  writeFileSync(file, example)
  const { assistant, model } = readAssistantConfig(file)
  expect([assistant, model!.key_file]).toEqual([
    'model',
    file.replace('assistant.json', 'model.key'),
  ])
})

const model = { base_url: 'https://models.example.org/v1' }

test.each([
  [{ assistant: 'oracle' }, 'assistant'],
  [{ assistnat: 'model' }, 'assistnat'],
  [{ assistant: 'model', model_classes }, 'model: is missing'],
  [
    { assistant: 'model', model, model_classes: { small: model_classes.small } },
    'modes.expert.model_class',
  ],
  [
    { model: { base_url: 'http://models.example.org/v1' } },
    'model.base_url: must begin with https://',
  ],
  [{ model: { base_url: 'https://key@models.example.org/v1' } }, 'model.base_url'],
  [{ model: { ...model, timeout_ms: 0 } }, 'model.timeout_ms'],
  [{ web_search: { url: 'https://search.example.org/' } }, 'web_search.url: must contain {query}'],
  [{ auto: [{ mode: 'fast', min_skills: 1 }] }, 'auto: the last rule must always match'],
  [{ modes: { fast: default_assistant.modes.fast } }, 'modes.expert'],
  [{ deadline_ms: 1.5, max_memories: -1 }, 'max_memories'],
])('an invalid configuration ends the start with a reason: %j', async (config, fault) => {
  await expect(start({ assistant_config: assistantFile(config) })).rejects.toMatchObject({
    code: 'config.service',
    message: expect.stringContaining(fault),
  })
})

test('a file that is missing or no JSON is named, and its content is not shown', async () => {
  const file = join(temporaryFolder(), 'assistant.json')
  await expect(start({ assistant_config: file })).rejects.toThrow(
    `${file} cannot be used: no such file or directory`,
  )
  writeFileSync(file, 'sk-secret')
  await expect(start({ assistant_config: file })).rejects.toThrow(/it is not JSON$/)
})
