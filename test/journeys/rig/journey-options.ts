import type { Clock } from '../../../src/base/time/time.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import type { ProfileName, ServiceOptions } from '../../../src/service/options.ts'
import type { TreeEntry } from '../../rig/tree.ts'
import type { ConfigChange, Fields } from './quick-config.ts'

export interface JourneyOptions {
  profile: ProfileName
  /** Files on the disk before the daemon starts. Each path begins with the name of its folder. */
  tree?: Record<string, TreeEntry>
  /**
   * The watched folders by name, with their fields beside name and path. The default is one called
   * docs.
   */
  folders?: Record<string, Fields>
  /** Sections of the configuration; they override those of quick-config.ts. */
  config?: ConfigChange
  service?: Partial<ServiceOptions>
  /**
   * Maximum number of assets on a page of the list. The client asks for 100; a smaller page needs
   * fewer files for three pages.
   */
  list_page?: number
  mode?: 'run' | 'once'
  /** Clock of the daemon. */
  clock?: Clock
  wrap_ledger?: (ledger: Ledger) => Ledger
}
