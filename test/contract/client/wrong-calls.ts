import type { PublicClient } from './calls.ts'
import type { Session } from './shapes.ts'

// Each marked line is a fault that the compiler must find: without one, it reports the comment
// above.
export function wrongCalls(client: PublicClient, session: Session): unknown[] {
  return [
    client.sessions.create({
      name: 'Weekly',
      // @ts-expect-error a speaker is an integer
      turns: [{ speaker: 'Ada', source: 'mic', text: 'x', start: 0, end: 1 }],
    }),
    client.actions.create({
      name: 'On',
      prompt: 'x',
      // @ts-expect-error created_by is a list
      trigger: { kind: 'asset_ready', created_by: 'ada' },
    }),
    // @ts-expect-error the whole of a project has its name
    client.projects.update('project_00000000000000000000', { description: 'All of it' }),
    // @ts-expect-error no such category
    client.memories.create({ content: 'x', category: 'gossip', importance: 1 }),
    // @ts-expect-error a session that is read has no such field
    session.speakers,
  ]
}
