import { expect, test } from 'vitest'
import { type Receiver, receiverNamed } from '../../src/domain/delivery.ts'

const file = { kind: 'file', dir: '/srv/reports' } as const
const hook = { kind: 'webhook', url: 'https://hooks.example.com/T0/secret', body: 'json' } as const
const mail = { kind: 'email', to: ['team@example.org'] } as const
const command = { kind: 'command', run: ['/usr/bin/tee', '-a', 'x'] } as const

test.each<[Receiver, string, string]>([
  [{ ...file, name: 'file-00000000' }, 'files in /srv/reports', 'files'],
  [{ ...hook, name: 'webhook-1f0c9a3e' }, 'webhook of hooks.example.com', 'webhook'],
  [{ ...hook, name: 'webhook-1f0c9a3e', body: 'slack' }, 'Slack', 'webhook'],
  [
    { ...hook, name: 'webhook-1f0c9a3e', body: 'teams' },
    'Teams webhook of hooks.example.com',
    'webhook',
  ],
  [{ ...hook, name: 'webhook-1f0c9a3e', url: undefined }, 'webhook', 'webhook'],
  [{ ...mail, name: 'email-ceb35e15' }, 'mail to team@example.org', 'mail'],
  [
    { ...mail, name: 'email-ceb35e15', to: ['a@x.org', 'b@x.org'] },
    'mail to a@x.org and 1 more',
    'mail',
  ],
  [{ ...command, name: 'command-ceb35e15' }, 'command tee', 'command'],
  [{ ...command, name: 'append' }, 'append (command tee)', 'append'],
])('%j is %s, for readers %s', (receiver, text, brief) => {
  expect(receiverNamed(receiver.name, [receiver])).toBe(text)
  expect(receiverNamed(receiver.name, [receiver], true)).toBe(brief)
})

test('a receiver that left the configuration is shown by its key', () => {
  expect(receiverNamed('email-ceb35e15', [])).toBe('email-ceb35e15')
})
