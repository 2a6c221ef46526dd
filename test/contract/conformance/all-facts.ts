import type { Fact } from './api.ts'
import { facts_of_assets } from './assets.facts.ts'
import { facts_of_chats } from './chats.facts.ts'
import { facts_of_every_call } from './every-call.facts.ts'
import { facts_of_groups } from './groups.facts.ts'
import { facts_of_lists } from './lists.facts.ts'

/**
 * The facts that every implementation of the interface must show, by the ids of docs/interface.md.
 */
export const all_facts: readonly Fact[] = [
  ...facts_of_every_call,
  ...facts_of_lists,
  ...facts_of_assets,
  ...facts_of_chats,
  ...facts_of_groups,
]
