import { lookKey } from '../../domain/file.ts'

type Answer = 'recorded' | 'doubtful'

interface LargeCheck {
  answer: Promise<Answer>
  is_wanted_again: boolean
}

/**
 * Large files under check, each checked by one caller at a time. Reading one may take an hour:
 * nobody else waits.
 */
export function createLargeChecks() {
  const checks = new Map<string, LargeCheck>()

  async function repeat(key: string, check: LargeCheck, work: () => Promise<Answer>): Promise<Answer> {
    try {
      for (;;) {
        check.is_wanted_again = false
        const answer = await work()
        if (!check.is_wanted_again) return answer
      }
    } finally {
      // In the same turn of the event loop: a caller that comes later checks the file itself.
      checks.delete(key)
    }
  }

  return {
    /** True when the file is being checked; then it is checked once more after that. */
    askAgain(folder: string, path: string): boolean {
      const under_way = checks.get(lookKey(folder, path))
      if (under_way) under_way.is_wanted_again = true
      return under_way !== undefined
    },
    /** A caller that comes while the file is read gets the answer of the first. */
    check(folder: string, path: string, work: () => Promise<Answer>): Promise<Answer> {
      const key = lookKey(folder, path)
      const under_way = checks.get(key)
      if (under_way) return under_way.answer
      const check: LargeCheck = { answer: Promise.resolve('recorded'), is_wanted_again: false }
      checks.set(key, check)
      check.answer = repeat(key, check, work)
      return check.answer
    },
  }
}
