import createClient from 'openapi-fetch'
import type { paths } from '#description'
import type * as Shapes from './shapes.ts'

/** The error object of the contract, as the public client throws it. */
export class CallError extends Error {
  readonly status: number
  readonly code: string | undefined

  constructor(status: number, body: { code?: string; humane?: string } | undefined) {
    super(body?.humane ?? `the service answered ${status}`)
    this.status = status
    this.code = body?.code
  }
}

/** A call of openapi-fetch resolves to this. */
interface Outcome<Data> {
  data?: Data
  error?: { code?: string; humane?: string }
  response: Response
}

async function taken<Data>(call: Promise<Outcome<Data>>): Promise<Data> {
  const { data, error, response } = await call
  if (error !== undefined || data === undefined) throw new CallError(response.status, error)
  return data
}

/** An answer without a body. */
async function done(call: Promise<Outcome<unknown>>): Promise<void> {
  const { error, response } = await call
  if (!response.ok) throw new CallError(response.status, error)
}

interface Options {
  base_url: string
  key: string
  project: string
  /** Sees every request and its answer. */
  fetch: (request: Request) => Promise<Response>
}

/**
 * All calls of the interface, over a client that is generated from the description, in the manner
 * of the public client: it sends what that one sends, and hands out the shapes that it declares.
 */
export function clientOf({ base_url, key, project, fetch }: Options) {
  const api = createClient<paths>({ baseUrl: base_url, headers: { 'X-API-Key': key }, fetch })
  const header = { 'X-Project-Id': project }
  const params = { header }
  /** What the public client sends with a turn unless told. */
  const usual_turn = { intelligence: 'auto' as const, scope: { project_ids: [project] } }
  const one = <Path>(path: Path) => ({ params: { header, path } })

  return {
    projects: {
      list: (): Promise<Shapes.Page<Shapes.Project>> => taken(api.GET('/v1/projects')),
      create: (body: { name: string; description?: string }): Promise<Shapes.Project> =>
        taken(api.POST('/v1/projects', { body })),
      /** The whole, not a patch. */
      update: (
        project_id: string,
        body: { name: string; description?: string },
      ): Promise<Shapes.Project> =>
        taken(api.POST('/v1/projects/{project_id}', { params: { path: { project_id } }, body })),
      members: (project_id: string): Promise<Shapes.Page<Shapes.Member>> =>
        taken(api.GET('/v1/projects/{project_id}/members', { params: { path: { project_id } } })),
      invite: (
        project_id: string,
        body: { email: string; role: 'owner' | 'collaborator' | 'reader' },
      ): Promise<Shapes.Invitation> =>
        taken(
          api.POST('/v1/projects/{project_id}/invitations', {
            params: { path: { project_id } },
            body,
          }),
        ),
      uninvite: (project_id: string, invitation_id: string) =>
        done(
          api.DELETE('/v1/projects/{project_id}/invitations/{invitation_id}', {
            params: { path: { project_id, invitation_id } },
          }),
        ),
    },

    labels: {
      list: (): Promise<Shapes.Page<Shapes.Label>> => taken(api.GET('/v1/labels', { params })),
      create: (body: { name: string; color?: string; icon?: string }): Promise<Shapes.Label> =>
        taken(api.POST('/v1/labels', { params, body })),
      get: (label_id: string): Promise<Shapes.Label> =>
        taken(api.GET('/v1/labels/{label_id}', one({ label_id }))),
      update: (
        label_id: string,
        body: { name?: string; color?: string; icon?: string },
      ): Promise<Shapes.Label> =>
        taken(api.POST('/v1/labels/{label_id}', { ...one({ label_id }), body })),
      delete: (label_id: string) => done(api.DELETE('/v1/labels/{label_id}', one({ label_id }))),
    },

    skills: {
      list: (): Promise<Shapes.Page<Shapes.Skill>> => taken(api.GET('/v1/skills', { params })),
      create: (body: Shapes.SkillFields): Promise<Shapes.Skill> =>
        taken(api.POST('/v1/skills', { params, body })),
      get: (skill_id: string): Promise<Shapes.Skill> =>
        taken(api.GET('/v1/skills/{skill_id}', one({ skill_id }))),
      update: (skill_id: string, body: Partial<Shapes.SkillFields>): Promise<Shapes.Skill> =>
        taken(api.POST('/v1/skills/{skill_id}', { ...one({ skill_id }), body })),
      delete: (skill_id: string) => done(api.DELETE('/v1/skills/{skill_id}', one({ skill_id }))),
      enable: (skill_id: string): Promise<Shapes.Skill> =>
        taken(api.POST('/v1/skills/{skill_id}/enable', one({ skill_id }))),
      disable: (skill_id: string): Promise<Shapes.Skill> =>
        taken(api.POST('/v1/skills/{skill_id}/disable', one({ skill_id }))),
    },

    memories: {
      list: (): Promise<Shapes.Page<Shapes.Memory>> => taken(api.GET('/v1/memories', { params })),
      create: (
        body: Shapes.MemoryFields & { scope?: 'user' | 'project' },
      ): Promise<Shapes.Memory> => taken(api.POST('/v1/memories', { params, body })),
      get: (memory_id: string): Promise<Shapes.Memory> =>
        taken(api.GET('/v1/memories/{memory_id}', one({ memory_id }))),
      update: (memory_id: string, body: Partial<Shapes.MemoryFields>): Promise<Shapes.Memory> =>
        taken(api.POST('/v1/memories/{memory_id}', { ...one({ memory_id }), body })),
      delete: (memory_id: string) =>
        done(api.DELETE('/v1/memories/{memory_id}', one({ memory_id }))),
    },

    actions: {
      list: (): Promise<Shapes.Page<Shapes.ActionItem>> =>
        taken(api.GET('/v1/actions', { params })),
      create: (body: Shapes.ActionFields & { enabled?: boolean }): Promise<Shapes.Action> =>
        taken(api.POST('/v1/actions', { params, body: withOneTiming(body) })),
      get: (action_id: string): Promise<Shapes.Action> =>
        taken(api.GET('/v1/actions/{action_id}', one({ action_id }))),
      /** The whole, not a patch. */
      update: (
        action_id: string,
        body: Shapes.ActionFields & { enabled?: boolean },
      ): Promise<Shapes.Action> =>
        taken(
          api.POST('/v1/actions/{action_id}', { ...one({ action_id }), body: withOneTiming(body) }),
        ),
      delete: (action_id: string) =>
        done(api.DELETE('/v1/actions/{action_id}', one({ action_id }))),
      enable: (action_id: string): Promise<Shapes.Action> =>
        taken(api.POST('/v1/actions/{action_id}/enable', one({ action_id }))),
      disable: (action_id: string): Promise<Shapes.Action> =>
        taken(api.POST('/v1/actions/{action_id}/disable', one({ action_id }))),
    },

    sessions: {
      list: (): Promise<Shapes.Page<Shapes.SessionItem>> =>
        taken(api.GET('/v1/sessions', { params })),
      create: (body: {
        name: string
        description?: string
        turns?: Shapes.Turn[]
      }): Promise<Shapes.Session> => taken(api.POST('/v1/sessions', { params, body })),
      get: (session_id: string): Promise<Shapes.Session> =>
        taken(api.GET('/v1/sessions/{session_id}', one({ session_id }))),
      update: (
        session_id: string,
        body: { name?: string; description?: string },
      ): Promise<Shapes.Session> =>
        taken(api.POST('/v1/sessions/{session_id}', { ...one({ session_id }), body })),
      delete: (session_id: string) =>
        done(api.DELETE('/v1/sessions/{session_id}', one({ session_id }))),
      transcript: (
        session_id: string,
        query: { limit?: number; after_id?: string },
      ): Promise<Shapes.Page<Shapes.Turn>> =>
        taken(
          api.GET('/v1/sessions/{session_id}/transcript', {
            params: { header, path: { session_id }, query },
          }),
        ),
    },

    assets: {
      list: (): Promise<Shapes.Page<Shapes.Asset & { labels: Shapes.Label[] }>> =>
        taken(api.GET('/v1/assets', { params })),
      create: (body: { filename: string; mime_type: string; md5?: string }): Promise<Shapes.Slot> =>
        taken(api.POST('/v1/assets', { params, body })),
      complete: (asset_id: string): Promise<Shapes.Asset> =>
        taken(api.POST('/v1/assets/{asset_id}/complete', one({ asset_id }))),
      get: (asset_id: string): Promise<Shapes.Asset> =>
        taken(api.GET('/v1/assets/{asset_id}', one({ asset_id }))),
      update: (
        asset_id: string,
        body: { name?: string; description?: string },
      ): Promise<Shapes.Asset> =>
        taken(api.POST('/v1/assets/{asset_id}', { ...one({ asset_id }), body })),
      delete: (asset_id: string) => done(api.DELETE('/v1/assets/{asset_id}', one({ asset_id }))),
      attach: (asset_id: string, label_name: string): Promise<Shapes.Label> =>
        taken(
          api.POST('/v1/assets/{asset_id}/labels', { ...one({ asset_id }), body: { label_name } }),
        ),
      detach: (asset_id: string, label_id: string) =>
        done(api.DELETE('/v1/assets/{asset_id}/labels/{label_id}', one({ asset_id, label_id }))),
    },

    chats: {
      list: (): Promise<Shapes.Page<Shapes.Chat>> => taken(api.GET('/v1/chats', { params })),
      start: (body: {
        prompt: string
        scope?: { asset_ids: string[] }
      }): Promise<{ chat_id: string; message_id: string }> =>
        taken(api.POST('/v1/chats', { params, body: { ...usual_turn, ...body } })),
      get: (chat_id: string): Promise<Shapes.Chat> =>
        taken(api.GET('/v1/chats/{chat_id}', one({ chat_id }))),
      update: (chat_id: string, title: string): Promise<Shapes.Chat> =>
        taken(api.POST('/v1/chats/{chat_id}', { ...one({ chat_id }), body: { title } })),
      delete: (chat_id: string) => done(api.DELETE('/v1/chats/{chat_id}', one({ chat_id }))),
      append: (chat_id: string, prompt: string): Promise<{ message_id: string }> =>
        taken(
          api.POST('/v1/chats/{chat_id}/messages', {
            ...one({ chat_id }),
            body: { ...usual_turn, prompt },
          }),
        ),
      messages: (chat_id: string): Promise<{ messages: Shapes.Message[] }> =>
        taken(api.GET('/v1/chats/{chat_id}/messages', one({ chat_id }))),
      message: (chat_id: string, message_id: string): Promise<Shapes.Message> =>
        taken(api.GET('/v1/chats/{chat_id}/messages/{message_id}', one({ chat_id, message_id }))),
      deleteMessage: (chat_id: string, message_id: string) =>
        done(api.DELETE('/v1/chats/{chat_id}/messages/{message_id}', one({ chat_id, message_id }))),
    },

    description: (): Promise<string> => taken(api.GET('/v1/openapi.yaml', { parseAs: 'text' })),
  }
}

type Timed =
  | { schedule: NonNullable<Shapes.ActionFields['schedule']> }
  | { trigger: NonNullable<Shapes.ActionFields['trigger']> }

/** The description says that exactly one of both is there, which the public client does not. */
function withOneTiming<Fields extends Shapes.ActionFields>(fields: Fields): Fields & Timed {
  return fields as Fields & Timed
}

export type PublicClient = ReturnType<typeof clientOf>
