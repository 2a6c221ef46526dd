/**
 * What the public client declares of each answer (P). It declares status values as text, and ids by
 * name. The types that are generated from the description must fit these.
 */
export interface Page<Item> {
  data: Item[]
  has_more: boolean
  first_id?: string
  last_id?: string
}

export interface Label {
  label_id: string
  name: string
  color?: string
  icon?: string
}

export interface Project {
  project_id: string
  name: string
  description?: string
  default: boolean
}

export interface Member {
  user_id: string
  email: string
  name?: string
  role: string
  join_method: string
  added_at: string
}

export interface Invitation {
  invitation_id: string
  email: string
  role: string
  url: string
  created_at: string
}

export interface SkillFields {
  name: string
  content: string
  scope: 'project' | 'user'
  category: 'skill' | 'persona'
  display_name?: string
  description?: string
  icon?: string
}

export interface Skill extends SkillFields {
  skill_id: string
  enabled: boolean
}

export interface MemoryFields {
  content: string
  category: 'identity' | 'preference' | 'fact' | 'context' | 'instruction'
  importance: number
}

export interface Memory extends MemoryFields {
  memory_id: string
  scope: string
  created_at: string
  modified_at: string
}

export interface ActionFields {
  name: string
  description?: string
  prompt: string
  schedule?: { hour: string; weekday: string; month_day: string; timezone: string }
  trigger?: { kind: string; created_by?: string[] }
  scope?: { asset_ids?: string[]; label_ids?: string[] }
  email?: { to: string[]; subject?: string; include_date_in_subject?: boolean }
}

export interface Action extends ActionFields {
  action_id: string
  enabled: boolean
  created_at: string
  modified_at: string
}

export interface ActionItem {
  action_id: string
  name: string
  enabled: boolean
  created_at: string
}

export interface Turn {
  speaker: number
  source: string
  text: string
  start: number
  end: number
}

export interface SessionItem {
  session_id: string
  name: string
  description?: string
  state: string
  created_at: string
  modified_at: string
}

export interface Session extends SessionItem {
  brief?: string
  turns: Turn[]
}

export interface Asset {
  asset_id: string
  status: string
  filename: string
  mime_type: string
  size_in_bytes: number
  created_at: string
}

/** `already_exists` decides which fields are there. */
export interface Slot {
  asset_id: string
  already_exists?: boolean
  status?: string
  upload_url?: string
  upload_method?: string
  upload_headers?: Record<string, string>
  expires_at?: string
}

export interface Chat {
  chat_id: string
  created_at: string
  title?: string
  modified_at?: string
}

/** The hosted profile says `id`, and no `status`. */
export interface Message {
  message_id?: string
  id?: string
  created_at: string
  status?: string
  prompt?: string
  response?: string
}
