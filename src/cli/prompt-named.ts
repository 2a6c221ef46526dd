import { didYouMean } from '../base/did-you-mean.ts'
import { SluiceError } from '../base/errors.ts'
import type { Config, PromptConfig } from '../config/config.ts'

/** Error `usage.prompt`: the configuration has none of that name, or none at all. */
export function promptNamed(name: string, { prompts }: Pick<Config, 'prompts'>): PromptConfig {
  const found = prompts.find((prompt) => prompt.name === name)
  if (found) return found
  throw unknownPrompt(
    name,
    prompts.map((prompt) => prompt.name),
  )
}

export function unknownPrompt(name: string, known: readonly string[]): SluiceError {
  if (known.length === 0) {
    return new SluiceError({ code: 'usage.prompt', message: 'no prompts are configured', hint: no_prompts_hint })
  }
  const meant = didYouMean(name, known)
  return new SluiceError({
    code: 'usage.prompt',
    message: `there is no prompt ${name}`,
    hint: meant === undefined ? `the prompts are ${known.join(', ')}` : `did you mean ${meant}?`,
  })
}

export const no_prompts_hint = 'add `prompts:` to the configuration: docs/prompts.md has three to begin with'
