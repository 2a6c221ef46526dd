import type { Ticket } from '../domain/ticket.ts'
import type { Failure } from '../remote/outcome.ts'

/** Shorter values sign nothing, and would be found in every other word. */
const shortest_secret = 8

/** A service may repeat an upload's address or headers in its words for people; they go no further than this. */
export function withoutTicket(failure: Failure, ticket: Ticket | undefined): Failure {
  if (!ticket) return failure
  const { search, searchParams } = new URL(ticket.upload_url)
  const secrets = [search.slice(1), ...searchParams.values(), ...Object.values(ticket.upload_headers)]
    .filter((secret) => secret.length >= shortest_secret)
    .sort((one, other) => other.length - one.length)
  const clean = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
  return {
    ...failure,
    message: clean(failure.message),
    ...(failure.humane === undefined ? {} : { humane: clean(failure.humane) }),
  }
}
