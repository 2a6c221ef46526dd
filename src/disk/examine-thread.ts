import { serveCalls, Transferred, threadData } from '../base/thread.ts'
import { fingerprintAll, lstatAll, readWhole } from './examine.ts'
import type { FingerprintRequest, LookRequest, WholeRequest } from './examine-wire.ts'
import { countInto } from './thread-progress.ts'

const progressed = countInto(threadData<SharedArrayBuffer>())

serveCalls({
  lstat({ root, paths }: LookRequest) {
    const answer = lstatAll(root, paths, progressed)
    return new Transferred(answer, [answer.stats.buffer as ArrayBuffer])
  },
  async fingerprint({ root, paths, stats }: FingerprintRequest) {
    const steps = fingerprintAll(root, paths, stats, progressed)
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
      // Other calls that have arrived are served first.
      await new Promise((resolve) => setImmediate(resolve))
    }
  },
  readWhole({ root, path, stats }: WholeRequest) {
    const answer = readWhole(root, path, stats)
    return answer.kind === 'read' ? new Transferred(answer, [answer.bytes.buffer as ArrayBuffer]) : answer
  },
})
