import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { isLoopbackHost } from '../../base/net/loopback.ts'
import { causeOf, codeOf, type SluiceError } from '../../base/run/errors.ts'
import { minute_ms, second_ms } from '../../base/time/time.ts'
import { intelligence_modes, providers } from '../../contract/messages/messages-chats.ts'
import { refused } from '../faults/faults.ts'

const tools = ['passages', 'past_chats', 'memories', 'web'] as const
const depths = ['none', 'low', 'medium', 'high'] as const

/** The models that take notes when a turn reads every file: small ones, else those of `fast`. */
export function notesModels({ model_classes, modes }: AssistantConfig): readonly Candidate[] {
  return model_classes.small ?? model_classes[modes.fast.model_class] ?? []
}

const modes = intelligence_modes.filter((mode) => mode !== 'auto') as ['fast', 'expert', 'research']
const whole = (min: number, max: number) => z.int().min(min).max(max)
const duration = (usual: number) => whole(1, 24 * 60 * minute_ms).default(usual)

/** How a mode (fast, expert or research) answers. */
const mode_row = z.strictObject({
  /** A key of `model_classes`; the extractive assistant does not use it. */
  model_class: z.string(),
  /** The most passages of files that an answer may use, and the most passages of chats. */
  passages: whole(1, 100),
  /** Sent as `reasoning_effort`. `none`: not sent, for models that do not know it. */
  thinking: z.enum(depths),
  tools: z.array(z.enum(tools)),
})

/** A rule holds if all of its conditions hold. A rule without conditions always holds. */
const auto_rule = z.strictObject({
  mode: z.enum(modes),
  /** At least one of these words is in the prompt, in upper or lower case. */
  words: z.array(z.string().min(1)).min(1).optional(),
  min_prompt_chars: whole(1, 1_000_000).optional(),
  min_scope_ids: whole(1, 1_000_000).optional(),
  min_skills: whole(1, 1_000).optional(),
})

const address = z
  .string()
  .refine(isSafeAddress, 'must begin with https:// (http:// is for this machine only)')

const model_host = z.strictObject({
  /** The address without `/chat/completions`. */
  base_url: address,
  /** A file that only its owner can read. Absent for a server that needs no key. */
  key_file: z.string().min(1).optional(),
  // Models that think answer within two minutes. A second attempt still fits before the deadline.
  timeout_ms: duration(110 * second_ms),
  // An answer of 100,000 words. No useful answer is longer.
  max_answer_bytes: whole(1_024, 64 * 1_048_576).default(1_048_576),
  // A conversation of a dozen long turns. Only the newest turns within this limit are sent.
  max_history_chars: whole(0, 10_000_000).default(60_000),
})

const web_search = z.strictObject({
  /** `{query}` stands for the words: `https://search.example.org/search?format=json&q={query}`. */
  url: address.refine((url) => url.includes('{query}'), 'must contain {query}'),
  key_file: z.string().min(1).optional(),
  key_header: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/)
    .default('x-api-key'),
  /** Paths of the results and of their fields, with dots between names. Defaults fit SearXNG. */
  items: z.string().default('results'),
  title: z.string().default('title'),
  link: z.string().default('url'),
  text: z.string().default('content'),
  // The first page of results, which is as far as most users read.
  max_results: whole(1, 50).default(5),
  // A slower search is not worth the wait; the answer is written without it.
  timeout_ms: duration(10 * second_ms),
})

const schema = z
  .strictObject({
    assistant: z.enum(['extractive', 'model']).default('extractive'),
    modes: z.strictObject({ fast: mode_row, expert: mode_row, research: mode_row }).default({
      fast: {
        model_class: 'small',
        passages: 6,
        thinking: 'none',
        tools: ['passages', 'memories'],
      },
      expert: {
        model_class: 'large',
        passages: 12,
        thinking: 'medium',
        tools: ['passages', 'past_chats', 'memories', 'web'],
      },
      research: {
        model_class: 'large',
        passages: 24,
        thinking: 'high',
        tools: ['passages', 'past_chats', 'memories', 'web'],
      },
    }),
    /** Rules for the mode `auto`: the first rule that holds gives the mode. */
    auto: z
      .array(auto_rule)
      .min(1)
      .refine(
        (rules) => Object.keys(rules.at(-1)!).length === 1,
        'the last rule must always match: it has a mode and no condition',
      )
      .default([
        { mode: 'research', words: ['research', 'recherche', 'recherchiere', 'investigate'] },
        {
          mode: 'expert',
          words: [
            'analyse',
            'analyze',
            'analysiere',
            'compare',
            'vergleiche',
            'evaluate',
            'bewerte',
          ],
        },
        { mode: 'expert', min_skills: 1 },
        { mode: 'expert', min_prompt_chars: 1_500 },
        { mode: 'expert', min_scope_ids: 20 },
        { mode: 'fast' },
      ]),
    /** The models of each class, the best one first. */
    model_classes: z
      .record(
        z.string(),
        z
          .array(
            z.strictObject({
              provider: z.enum(providers).exclude(['automatic']),
              model: z.string().min(1),
            }),
          )
          .min(1),
      )
      .default({}),
    model: model_host.optional(),
    web_search: web_search.optional(),
    // Our client waits five minutes for a fast answer. It should get `error` before that.
    deadline_ms: duration(4 * minute_ms),
    // Answers written at the same time. Enough for a small team; a model's host has a limit, too.
    answers_at_once: whole(1, 100).default(8),
    // The text of a call and its answer: 15,000 to 20,000 tokens, so that it fits models of 32,000.
    // A model of a smaller window refuses it and gets less.
    context_chars: whole(4_000, 500_000).default(60_000),
    // For one question that reads every file: two million characters, some thousand pages. Its
    // texts are in memory meanwhile, so the largest values need 200 MB a question.
    max_calls: whole(2, 200).default(40),
    // The most memories for one answer. More would not be useful with every question.
    max_memories: whole(0, 200).default(20),
    // Chats are in no index, so a question that uses chats reads up to this many characters of
    // them: about 250 ms of work.
    max_past_chars: whole(0, 100_000_000).default(2_000_000),
  })
  .superRefine(({ assistant, modes, model_classes, model }, context) => {
    if (assistant !== 'model') return
    if (!model)
      context.addIssue({
        code: 'custom',
        path: ['model'],
        message: 'is missing: give at least its base_url',
      })
    for (const [mode, { model_class }] of Object.entries(modes)) {
      if (Object.hasOwn(model_classes, model_class)) continue
      const message = `names the class ${model_class}, which is not in model_classes`
      context.addIssue({ code: 'custom', path: ['modes', mode, 'model_class'], message })
    }
  })

export type AssistantConfig = z.infer<typeof schema>
export type Mode = keyof AssistantConfig['modes']
export type AutoRule = AssistantConfig['auto'][number]
export type Tool = (typeof tools)[number]
export type Candidate = AssistantConfig['model_classes'][string][number]
export type ModelHost = z.infer<typeof model_host>
export type WebSearch = z.infer<typeof web_search>

/** The configuration without a file. */
export const default_assistant: AssistantConfig = schema.parse({})

/** Reads JSON; paths of key files are relative to it. Error `config.service` with every fault. */
export function readAssistantConfig(file: string): AssistantConfig {
  const parsed = schema.safeParse(readJson(file))
  if (!parsed.success) {
    const faults = parsed.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'the whole'}: ${message}`,
    )
    throw unusable(file, faults.join('; '))
  }
  const beside = (path: string | undefined) =>
    path === undefined ? {} : { key_file: resolve(dirname(file), path) }
  const { model, web_search } = parsed.data
  return {
    ...parsed.data,
    ...(model && { model: { ...model, ...beside(model.key_file) } }),
    ...(web_search && { web_search: { ...web_search, ...beside(web_search.key_file) } }),
  }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    // The message of JSON.parse quotes the text, which may contain a key.
    throw unusable(file, codeOf(error) === undefined ? 'it is not JSON' : causeOf(error))
  }
}

function unusable(file: string, what: string): SluiceError {
  return refused(
    `the assistant’s configuration ${file} cannot be used: ${what}`,
    'docs/service.md describes every field in "The assistant"',
  )
}

/** Requests carry questions, documents and a key, so plain HTTP is only for this machine. */
function isSafeAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}
