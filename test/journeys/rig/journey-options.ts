import type { Clock } from '../../../src/base/time/time.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import type { ProfileName, ServiceOptions } from '../../../src/service/options.ts'
import type { TreeEntry } from '../../rig/tree.ts'
import type { ConfigChange, Fields } from './quick-config.ts'

export interface JourneyOptions {
  profile: ProfileName
  /** What lies on the disk before the daemon starts; the first part of each path is the folder's name. */
  tree?: Record<string, TreeEntry>
  /** The watched folders by name, with what their config says beside name and path; one called docs unless told. */
  folders?: Record<string, Fields>
  /** Sections of the config; what is named here replaces what quick-config.ts says. */
  config?: ConfigChange
  service?: Partial<ServiceOptions>
  /** The most assets on a page of the list, where the client asks for 100: three pages need fewer files. */
  list_page?: number
  mode?: 'run' | 'once'
  /** Of the daemon. */
  clock?: Clock
  wrap_ledger?: (ledger: Ledger) => Ledger
}
