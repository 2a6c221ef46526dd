import { expect, test } from 'vitest'
import { configFor, type Viewer } from '../../../src/page/access/viewer.ts'
import { configOf } from '../../rig/config-of.ts'

const ada: Viewer = { name: 'ada', role: 'reader', folders: ['docs'], by: 'password' }

test('a reader knows the prompts whose whole scope lies in their folders', () => {
  const prompt = (name: string, scope: object) => ({
    name,
    prompt: 'What is new?',
    cron: '0 7 * * 1',
    scope,
  })
  const config = configOf({
    service: {
      base_url: 'http://127.0.0.1:1',
      project_id: 'project_0123456789abcdefghij',
      token_file: '/t',
    },
    folders: ['docs', 'pay'].map((name) => ({ name, path: `/srv/${name}` })),
    prompts: [
      prompt('own', { folders: ['docs'] }),
      prompt('both', { folders: ['docs', 'pay'] }),
      prompt('label', { folders: ['docs'], labels: ['legal'] }),
      prompt('chat', { chats: ['chat_0123456789abcdefghij'] }),
    ],
  })
  const known = configFor(config, ada)
  expect(known.folders.map(({ name }) => name)).toEqual(['docs'])
  expect(known.prompts.map(({ name }) => name)).toEqual(['own'])
  expect(configFor(config, { ...ada, folders: 'all' })).toEqual(config)
})
