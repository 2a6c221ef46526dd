import { serveCalls, Transferred } from '../base/thread.ts'
import { fingerprintAll, lstatAll, readWhole } from './examine.ts'
import type { ExamineThreadData, FingerprintRequest, LookRequest, WholeRequest } from './examine-wire.ts'
import { countInto } from './thread-progress.ts'

serveCalls(({ progress }: ExamineThreadData) => {
  const progressed = countInto(progress)

  return {
    lstat({ root, paths }: LookRequest) {
      const answer = lstatAll(root, paths, progressed)
      return new Transferred(answer, [answer.stats.buffer as ArrayBuffer])
    },
    fingerprint({ root, paths, stats }: FingerprintRequest) {
      return fingerprintAll({ root, paths, expected: stats }, progressed)
    },
    readWhole({ root, path, stats }: WholeRequest) {
      const answer = readWhole(root, path, stats)
      return answer.kind === 'read' ? new Transferred(answer, [answer.bytes.buffer as ArrayBuffer]) : answer
    },
  }
})
