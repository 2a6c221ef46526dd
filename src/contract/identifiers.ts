/**
 * The kinds of ids that the service makes. The specification has `project` to `view`. Ids of
 * `session` to `memory` were seen on the hosted service. The last three are ours.
 *
 * @internal
 */
export const id_kinds = [
  'project',
  'chat',
  'message',
  'asset',
  'label',
  'concept',
  'view',
  'session',
  'action',
  'skill',
  'memory',
  'user',
  'invitation',
  'turn',
] as const

export type IdKind = (typeof id_kinds)[number]

/** The part after the kind and the underscore. */
const id_tail = /[a-z0-9]{20}/

/** Hexadecimal digits in any case. The service changes them to lower case. */
export const md5_pattern = /^[0-9a-fA-F]{32}$/

/** `<domain>.<op>.<reason>`. Clients decide by the code, never by the text beside it. */
export const error_code_pattern = /^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$/

/**
 * type/subtype with optional parameters; the names by RFC 6838, section 4.2. Only printable ASCII
 * and tabs, because it becomes a header.
 */
export const mime_type_pattern =
  /^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}\/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}([\t ]*;[\t\x20-\x7e]*)?$/

export const api_key_header = 'x-api-key'
export const project_header = 'x-project-id'

const patterns = Object.fromEntries(
  id_kinds.map((kind) => [kind, new RegExp(`^${kind}_${id_tail.source}$`)]),
) as Record<IdKind, RegExp>

export function idPattern(kind: IdKind): RegExp {
  return patterns[kind]
}

export function isId(kind: IdKind, value: unknown): value is string {
  return typeof value === 'string' && patterns[kind].test(value)
}
