import type { ConnectionPlaces } from '../../base/net/connection-places.ts'
import { isLoopback } from '../address.ts'

export function servicePlaces(server: string, max: number): ConnectionPlaces {
  return {
    max,
    max_an_address: Math.ceil(max / 2),
    // A dual-stack socket shows IPv4 peers as ::ffff:127.0.0.1.
    isShared: (address = '') => isLoopback(address.replace('::ffff:', '')),
    // An upload takes its time.
    has_small_bodies: server === 'api',
  }
}
