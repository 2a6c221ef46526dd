import type { resolveConfig } from './resolve/resolve.ts'

type DeepReadonly<Value> = Value extends object ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> } : Value

/**
 * The configuration as the program uses it: complete, checked and frozen. schema.ts and
 * constants.ts say what each field means, and why it has its value. Durations are numbers in the
 * unit of their name, sizes are bytes, paths are absolute.
 */
export type Config = DeepReadonly<ReturnType<typeof resolveConfig>>
export type ServiceConfig = Config['service']
export type FolderConfig = Config['folders'][number]
/** A prompt with a schedule. */
export type PromptConfig = Config['prompts'][number]
export type DeliveryConfig = PromptConfig['deliver'][number]
export type LogConfig = Config['log']
