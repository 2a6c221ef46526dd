import { toPlainError } from '../run/errors.ts'
import { serveCalls } from '../run/thread.ts'
import { type Asked, direct_paths, type Question } from './paths.ts'

/** Answers the questions of `Paths` in a thread of path-process.ts. */
serveCalls(() => ({
  ready: () => true,
  ask({ method, path, max }: Question): Asked {
    try {
      return { value: direct_paths[method](path, max) }
    } catch (error) {
      return { error: toPlainError(error) }
    }
  },
}))
