import type { PublicClient } from './calls.ts'

/** The calls of calls.ts, as `labels.list`. */
type CallName = {
  [Group in keyof PublicClient & string]: PublicClient[Group] extends (...words: never) => unknown
    ? Group
    : `${Group}.${keyof PublicClient[Group] & string}`
}[keyof PublicClient & string]

/**
 * A method that the interface has no path for: its request, which the service answers with a 404.
 */
interface Unserved {
  request: `${'GET' | 'POST' | 'DELETE'} /v1/${string}`
  why: string
}

const no_sharing =
  'chats belong to the project: the interface has no access level, audience or public link of one'
const no_search = 'the interface answers questions by chats only'

/**
 * Every method of the public client, as of November 2026 (P), with the calls that stand for it, or
 * the reason why there are none.
 */
export const methods: Readonly<Record<string, readonly CallName[] | Unserved>> = {
  'Projects.List': ['projects.list'],
  'Projects.Create': ['projects.create'],
  'Projects.Update': ['projects.update'],
  'Projects.ListMembers': ['projects.members'],
  'Projects.CreateInvitation': ['projects.invite'],
  'Projects.DeleteInvitation': ['projects.uninvite'],

  'Labels.Create': ['labels.create'],
  'Labels.List': ['labels.list'],
  'Labels.Get': ['labels.get'],
  'Labels.Update': ['labels.update'],
  'Labels.Delete': ['labels.delete'],

  'Skills.Create': ['skills.create'],
  'Skills.List': ['skills.list'],
  'Skills.Get': ['skills.get'],
  'Skills.Update': ['skills.update'],
  'Skills.Delete': ['skills.delete'],
  'Skills.Enable': ['skills.enable'],
  'Skills.Disable': ['skills.disable'],

  'Memories.Create': ['memories.create'],
  'Memories.List': ['memories.list'],
  'Memories.Get': ['memories.get'],
  'Memories.Update': ['memories.update'],
  'Memories.Delete': ['memories.delete'],

  'Actions.Create': ['actions.create'],
  'Actions.List': ['actions.list'],
  'Actions.Get': ['actions.get'],
  'Actions.Update': ['actions.update'],
  'Actions.Delete': ['actions.delete'],
  'Actions.Enable': ['actions.enable'],
  'Actions.Disable': ['actions.disable'],

  'Sessions.List': ['sessions.list'],
  'Sessions.Get': ['sessions.get'],
  'Sessions.GetTranscript': ['sessions.transcript'],
  'Sessions.Update': ['sessions.update'],
  'Sessions.Delete': ['sessions.delete'],

  'Assets.Create': ['assets.create'],
  'Assets.Complete': ['assets.complete'],
  'Assets.Get': ['assets.get'],
  'Assets.List': ['assets.list'],
  'Assets.Update': ['assets.update'],
  'Assets.Delete': ['assets.delete'],
  'Assets.AttachLabel': ['assets.attach'],
  'Assets.DetachLabel': ['assets.detach'],
  'Assets.UploadFile': ['assets.create', 'assets.get', 'assets.complete'],
  'Assets.WaitForReady': ['assets.get'],

  'Chats.Create': ['chats.start'],
  'Chats.List': ['chats.list'],
  'Chats.Get': ['chats.get'],
  'Chats.Update': ['chats.update'],
  'Chats.Delete': ['chats.delete'],
  'Chats.SendMessage': ['chats.append'],
  'Chats.ListMessages': ['chats.messages'],
  'Chats.GetMessage': ['chats.message'],
  'Chats.DeleteMessage': ['chats.deleteMessage'],
  'Chats.WaitForResponse': ['chats.message'],
  'Chats.SetVisibility': { request: 'POST /v1/chats/{chat_id}/visibility', why: no_sharing },
  'Chats.ListMembers': { request: 'GET /v1/chats/{chat_id}/members', why: no_sharing },
  'Chats.AddMember': { request: 'POST /v1/chats/{chat_id}/members', why: no_sharing },
  'Chats.RemoveMember': {
    request: 'DELETE /v1/chats/{chat_id}/members/{user_id}',
    why: no_sharing,
  },
  'Chats.CreateShareLink': { request: 'POST /v1/chats/{chat_id}/share', why: no_sharing },
  'Chats.RegenerateShareLink': {
    request: 'POST /v1/chats/{chat_id}/share?regenerate=true',
    why: no_sharing,
  },
  'Chats.GetShareLink': { request: 'GET /v1/chats/{chat_id}/share', why: no_sharing },
  'Chats.DeleteShareLink': { request: 'DELETE /v1/chats/{chat_id}/share', why: no_sharing },

  'Search.Search': { request: 'POST /v1/search', why: no_search },
}

/** The number of its methods. A method that is left out here is missed by it. */
export const method_count = 64

/** Calls that are in the interface, but in no method of the public client. */
export const other_calls: readonly CallName[] = ['description', 'sessions.create']

/** The same client, which adds the name of each call to `made`. */
export function recordCalls(client: PublicClient, made: Set<string>): PublicClient {
  const wrapped = (name: string, value: unknown): unknown => {
    if (typeof value !== 'function') {
      const calls = Object.entries(value as object).map(([call, inner]) => [
        call,
        wrapped(`${name}.${call}`, inner),
      ])
      return Object.fromEntries(calls)
    }
    return (...words: unknown[]) => {
      made.add(name)
      return value(...words)
    }
  }
  const groups = Object.entries(client).map(([name, value]) => [name, wrapped(name, value)])
  return Object.fromEntries(groups) as unknown as PublicClient
}
