import { lookKey } from '../../domain/file.ts'

type Answer = 'recorded' | 'doubtful'

interface LargeLook {
  answer: Promise<Answer>
  is_wanted_again: boolean
}

/**
 * Large files that are looked at now, each by one at a time. Reading one may take an hour: nobody
 * else waits for it.
 */
export function createLargeLooks() {
  const looks = new Map<string, LargeLook>()

  async function repeat(key: string, look: LargeLook, work: () => Promise<Answer>): Promise<Answer> {
    try {
      for (;;) {
        look.is_wanted_again = false
        const answer = await work()
        if (!look.is_wanted_again) return answer
      }
    } finally {
      // In the turn in which nobody wanted it again: who asks later looks for himself.
      looks.delete(key)
    }
  }

  return {
    /** True when the file is being looked at, and will be looked at once more after that. */
    askAgain(folder: string, path: string): boolean {
      const under_way = looks.get(lookKey(folder, path))
      if (under_way) under_way.is_wanted_again = true
      return under_way !== undefined
    },
    /** Who comes while it is read gets the answer of the first. */
    look(folder: string, path: string, work: () => Promise<Answer>): Promise<Answer> {
      const key = lookKey(folder, path)
      const under_way = looks.get(key)
      if (under_way) return under_way.answer
      const look: LargeLook = { answer: Promise.resolve('recorded'), is_wanted_again: false }
      looks.set(key, look)
      look.answer = repeat(key, look, work)
      return look.answer
    },
  }
}
