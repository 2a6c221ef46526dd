import type { Day } from '../day/day.ts'
import { world } from '../world/world.ts'
import { wrongAtEnd } from './oracle.ts'
import { Play } from './play.ts'
import { closeTable, digestOf, endState, Table } from './table.ts'
import { ViewCheck } from './view-check.ts'

const minute = 60_000
/**
 * Time after the last fault in which everything must end: the longest rest between two tries is an
 * hour.
 */
const max_quiet_ms = 130 * minute
const quiet_step_ms = 10 * minute

export interface Played {
  play: Play
  /** Empty if the day went as it should. */
  wrong: string[]
  end_state: string[]
  /** Every fact with its time, which shows how exactly a day repeats itself. */
  trace: string
}

export async function playDay(day: Day, base: string, seen = new Table()): Promise<Played> {
  const play = new Play(day, base, seen)
  const view_check = new ViewCheck(play)
  const check = () => view_check.check()
  const beginning = play.begin()
  await world.until(beginning, minute)
  await beginning
  let wrong: string[] = []
  try {
    await play.live(check)
    wrong = await quietTime(play, view_check)
  } catch (error) {
    wrong = [`the day broke off: ${error}`]
  }
  world.asSim(() => view_check.close())
  closeTable()
  const end_state = world.asSim(() => endState(play.state_dir))
  await play.end()
  return {
    wrong: [...world.broken, ...play.faults, ...wrong],
    play,
    end_state,
    trace: digestOf(play.facts),
  }
}

/**
 * Runs without faults and restarts until nothing is wrong, as long as the longest rest between two
 * tries.
 */
async function quietTime(play: Play, view_check: ViewCheck): Promise<string[]> {
  let wrong: string[] = []
  for (let quiet_ms = 0; quiet_ms < max_quiet_ms; quiet_ms += quiet_step_ms) {
    await world.goTo(world.at_ms + quiet_step_ms, () => view_check.check())
    wrong = [...wrongAtEnd(play), ...view_check.wrongAtEnd()]
    if (wrong.length === 0) break
    if (quiet_ms === 0) void play.userChecks()
  }
  return wrong
}
