import { serveCalls } from '../../base/run/thread.ts'
import { openLogFile } from './log-file.ts'

/** Writes the log of log-file.ts. */
serveCalls((file: string) => openLogFile(file) as { write(line: string): void })
