import type { ErrorCode } from '../contract/error-codes.ts'
import type { ProfileName } from './options.ts'

const usual = {
  cors: true,
  /** Otherwise one full page, whatever the limit. */
  labels_paged: false,
  assets_newest_first: true,
  /** Messages are keyed `id`, without `status`. */
  messages_by_id: false,
  /** A new message cannot be read for this long. */
  message_hidden_ms: 0,
  /** A chat has no `modified_at` until its first turn has ended. */
  modified_at_late: false,
  /** A declared md5 also matches a slot whose bytes never came; such a slot reads `ingesting`. */
  dedup_reservations: false,
  /** What an accepted asset reads as on the way. */
  status_on_the_way: 'ingesting',
  /** Answered with an empty code and without words. */
  blank_codes: new Set() as ReadonlySet<ErrorCode>,
}

/** Where the service follows the specification (default) or what the hosted one was seen to do against it (contract, E). */
export type Profile = typeof usual

const profiles: Record<ProfileName, Profile> = {
  default: usual,
  hosted: {
    cors: false,
    labels_paged: true,
    assets_newest_first: false,
    messages_by_id: true,
    message_hidden_ms: 200,
    modified_at_late: true,
    dedup_reservations: true,
    status_on_the_way: 'enriching',
    blank_codes: new Set<ErrorCode>([
      'publicapi.body.invalid',
      'publicapi.asset.create.md5_malformed',
      'publicapi.asset.complete.bytes_missing',
      'publicapi.asset.complete.md5_differs',
      'publicapi.asset.update.not_ready',
    ]),
  },
}

export function profileOf(name: ProfileName): Profile {
  return profiles[name]
}
