import { networkInterfaces } from 'node:os'

const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? [])

/** An address of this machine that its network knows; undefined without one. */
export const network_address: string | undefined = addresses.find(
  ({ internal, family }) => !internal && family === 'IPv4',
)?.address

/** True if a server can listen on `::` here. */
export const has_ipv6 = addresses.some(({ address }) => address === '::1')

/** Whether a test is skipped, because this machine lacks an address. It prints the reason. */
export function lacksAddress(has_it: boolean, what: string): boolean {
  if (!has_it) console.log(`skipped: this machine has no ${what}`)
  return !has_it
}
