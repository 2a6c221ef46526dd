import { lookKey } from '../../domain/file.ts'

type Answer = 'recorded' | 'doubtful'

interface LargeCheck {
  answer: Promise<Answer>
  is_wanted_again: boolean
}

/** Allows one check per large file. Reading one may take an hour, so no other caller waits. */
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
      // This runs in the same tick: a later caller then checks the file itself.
      checks.delete(key)
    }
  }

  return {
    /** True if the file is being checked; it is then checked again afterwards. */
    askAgain(folder: string, path: string): boolean {
      const under_way = checks.get(lookKey(folder, path))
      if (under_way) under_way.is_wanted_again = true
      return under_way !== undefined
    },
    /** A caller that comes during the read gets the first caller's answer. */
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
