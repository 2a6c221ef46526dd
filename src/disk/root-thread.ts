import { serveCalls } from '../base/thread.ts'
import { rootStatus } from './mount.ts'

serveCalls({ status: ({ root }: { root: string }) => rootStatus(root) })
