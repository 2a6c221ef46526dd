import { serveCalls } from '../run/thread.ts'
import { direct_paths, type Question } from './paths.ts'

/** Answers the questions of `Paths` in a thread of path-process.ts. */
serveCalls(() => ({
  look: ({ path }: Question) => direct_paths.look(path),
  read: ({ path, max_bytes }: Question) => direct_paths.read(path, max_bytes),
}))
