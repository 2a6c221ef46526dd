import { serveCalls, Transferred, threadData } from '../base/thread.ts'
import { fingerprintAll, lstatAll, readWhole } from './examine.ts'
import type { FingerprintRequest, LookRequest, WholeRequest } from './examine-wire.ts'
import { createStreamReads } from './stream-reads.ts'
import { countInto } from './thread-progress.ts'

const progressed = countInto(threadData<SharedArrayBuffer>())
const streams = createStreamReads()

serveCalls({
  lstat({ root, paths }: LookRequest) {
    const answer = lstatAll(root, paths, progressed)
    return new Transferred(answer, [answer.stats.buffer as ArrayBuffer])
  },
  fingerprint({ root, paths, stats }: FingerprintRequest) {
    return fingerprintAll(root, paths, stats, progressed)
  },
  readWhole({ root, path, stats }: WholeRequest) {
    const answer = readWhole(root, path, stats)
    return answer.kind === 'read' ? new Transferred(answer, [answer.bytes.buffer as ArrayBuffer]) : answer
  },
  beginStream: streams.begin,
  readPart: streams.readPart,
  endStream: streams.end,
})
