import type { resolveConfig } from './resolve/resolve.ts'

type DeepReadonly<Value> = Value extends object ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> } : Value

/**
 * The configuration as the program uses it: complete, checked and frozen. What each field means, and the reason of its value,
 * stands in schema.ts and constants.ts; durations are numbers in the unit of their name, sizes are bytes, paths are absolute.
 */
export type Config = DeepReadonly<ReturnType<typeof resolveConfig>>
export type ServiceConfig = Config['service']
export type FolderConfig = Config['folders'][number]
/** One prompt that is asked on a schedule. */
export type PromptConfig = Config['prompts'][number]
export type DeliveryConfig = PromptConfig['deliver'][number]
export type LogConfig = Config['log']
