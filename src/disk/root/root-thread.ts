import { serveCalls } from '../../base/run/thread.ts'
import { identifiedRoot, type OnlineRoot } from './root.ts'

serveCalls(() => ({
  ready: () => true,
  status: ({ root, before }: { root: string; before: OnlineRoot | undefined }) =>
    identifiedRoot(root, before),
}))
