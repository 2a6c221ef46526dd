import type { Config } from '../../src/config/config.ts'
import { configOf } from '../rig/config-of.ts'

const project_id = 'project_0123456789abcdefghij'

/** A configuration with one folder called `notes`. */
export function configFor(options: {
  root: string
  state_dir?: string
  folder?: object
  uploads?: object
  more?: readonly object[]
}): Config {
  const { root, state_dir = '/nowhere/state', folder = {}, uploads = {}, more = [] } = options
  return configOf(
    {
      service: { base_url: 'https://assistant.example.com', project_id },
      state_dir,
      folders: [{ name: 'notes', path: root, ...folder }, ...more],
      uploads,
    },
    { HOME: '/nowhere' },
  )
}
