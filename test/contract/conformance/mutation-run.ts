import { expect } from 'vitest'
import { type RouteId, routes } from '../../../src/contract/routes/routes.ts'
import { all_facts } from './all-facts.ts'
import { Api, type Fact, patience } from './api.ts'
import { localTarget } from './local-target.ts'
import { type Mutant, type Mutation, routeIdOf, startMutant } from './mutant.ts'

/**
 * Changes one field of the answers of one call at a time, and checks the facts that make this call:
 * one of them must fail. `choose` selects the changes of a call that are tried.
 */
export async function runMutations(choose: (mutations: Mutation[]) => Mutation[]): Promise<void> {
  const target = await localTarget()
  const mutant = await startMutant(target.url)
  const usual_ms = patience.deadline_ms
  try {
    const api = await Api.at({ ...target, url: mutant.url })
    const facts_by_route = await factsByRoute(api)
    // Every wait can be short, because the local service takes no time for anything.
    patience.deadline_ms = 2_000
    const unnoticed: string[] = []
    let count = 0
    for (const { id } of routes) {
      const facts = facts_by_route.get(id) ?? []
      expect(facts.length, `no fact makes the call ${id}`).toBeGreaterThan(0)
      const chosen = choose(mutationsOf(mutant, id))
      expect(chosen.length, `nothing of ${id} can be changed`).toBeGreaterThan(0)
      for (const mutation of chosen) {
        count += 1
        if (!(await isNoticed(mutant, mutation, api, facts)))
          unnoticed.push(Object.values(mutation).join(' '))
      }
    }
    console.log(
      `mutations: ${count} over ${routes.length} calls, ${count - unnoticed.length} turned the facts red`,
    )
    expect(unnoticed).toEqual([])
  } finally {
    patience.deadline_ms = usual_ms
    await mutant.close()
    await target.close()
  }
}

/**
 * The facts that make a call, those with the fewest calls first. All of them hold while nothing is
 * changed.
 */
async function factsByRoute(api: Api): Promise<Map<RouteId, Fact[]>> {
  const costs: { fact: Fact; calls: RouteId[] }[] = []
  for (const fact of all_facts) {
    const alone = api.alone()
    await fact.check(alone)
    costs.push({ fact, calls: alone.calls.map(routeIdOf).filter((id) => id !== undefined) })
  }
  costs.sort((a, b) => a.calls.length - b.calls.length)
  return new Map(
    routes.map(({ id }) => [
      id,
      costs.filter(({ calls }) => calls.includes(id)).map(({ fact }) => fact),
    ]),
  )
}

function mutationsOf({ fields }: Mutant, route: RouteId): Mutation[] {
  if (route === 'description.read') return [{ route, field: 'info', how: 'spoil the text' }]
  const seen = [...(fields.get(route) ?? [])]
  if (seen.length === 0) return [{ route, field: 'the whole', how: 'answer 200' }]
  return seen.flatMap((field) =>
    (['drop', 'rename'] as const).map((how) => ({ route, field, how })),
  )
}

async function isNoticed(
  mutant: Mutant,
  mutation: Mutation,
  api: Api,
  facts: readonly Fact[],
): Promise<boolean> {
  mutant.mutation = mutation
  try {
    for (const { check } of facts) await check(api.alone())
    return false
  } catch {
    // Any error turns the suite red, so any error counts.
    return true
  } finally {
    mutant.mutation = undefined
  }
}
