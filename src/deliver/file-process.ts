import { serveCalls } from '../base/run/thread.ts'
import { deliverToFile } from './file.ts'
import type { Message } from './message.ts'
import type { FileTarget } from './target.ts'

serveCalls(() => ({
  deliver: ({ target, message }: { target: FileTarget; message: Message }) =>
    deliverToFile(target, message),
}))
