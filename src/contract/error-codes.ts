/**
 * The error codes of the local service, and their HTTP status. `publicapi.auth.invalid` and
 * `publicapi.tenancy.project.missing` come from the specification (S); the others are ours (L), in
 * the same form. The service uses the statuses of S (400, 401, 404, 500). It also uses 429 for
 * limited requests, and 503 while the database is locked; fault injection can use both.
 * Codes are added, but never changed or removed.
 */
export const error_statuses = {
  'publicapi.auth.invalid': 401,
  'publicapi.tenancy.project.missing': 400,
  'publicapi.tenancy.project.not_found': 404,

  'publicapi.request.malformed': 400,
  'publicapi.route.not_found': 404,
  'publicapi.route.wrong_method': 404,
  'publicapi.path.invalid': 400,
  'publicapi.query.invalid': 400,
  'publicapi.cursor.unknown': 400,
  'publicapi.body.invalid': 400,
  'publicapi.body.too_large': 400,
  'publicapi.body.media_type': 400,

  'publicapi.asset.not_found': 404,
  'publicapi.asset.create.md5_malformed': 400,
  'publicapi.asset.complete.bytes_missing': 400,
  'publicapi.asset.complete.md5_differs': 400,
  'publicapi.asset.update.not_ready': 400,

  'publicapi.label.not_found': 404,
  'publicapi.label.name_taken': 400,

  'publicapi.chat.not_found': 404,
  'publicapi.chat.scope.unreachable': 404,
  'publicapi.chat.skill.unknown': 400,
  'publicapi.message.not_found': 404,

  'publicapi.tenancy.role.insufficient': 400,
  'publicapi.tenancy.role.last_owner': 400,
  'publicapi.project.not_found': 404,
  'publicapi.invitation.not_found': 404,
  'publicapi.chat.skill.disabled': 400,
  'publicapi.skill.not_found': 404,
  'publicapi.skill.name_taken': 400,
  'publicapi.memory.not_found': 404,
  'publicapi.action.not_found': 404,
  'publicapi.action.timing': 400,
  'publicapi.session.not_found': 404,

  'publicapi.rate.limited': 429,
  'publicapi.internal.failed': 500,
  'publicapi.service.unavailable': 503,
} as const satisfies Record<string, number>

export type ErrorCode = keyof typeof error_statuses

export function isKnownCode(code: string): code is ErrorCode {
  return Object.hasOwn(error_statuses, code)
}
