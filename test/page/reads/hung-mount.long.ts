import { mkdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cannotHang, mountThatHangs } from '../../disk/hung-mount.ts'
import { agentOf } from '../mcp/agent-rig.ts'
import { beginSignedIn } from '../signed-in.ts'

/** Two seconds for the path, and the start of a process on a busy machine. */
const max_answer_ms = 15_000

test.skipIf(cannotHang())(
  'a path on a mount that hangs is named in time, and the page goes on meanwhile',
  {
    timeout: 60_000,
  },
  async () => {
    const { journey, address, store, as } = await beginSignedIn()
    const browser = await as('ada')
    const { call } = await agentOf(address, store.makeToken('eve'))
    const place = journey.at('docs/sick')
    mkdirSync(place)
    const mount = await mountThatHangs(journey.at('sick-disk'), place)
    mount.stop()
    const began = performance.now()
    const ended: string[] = []
    const asked = async (what: string, ask: () => Promise<{ text: string }>, words: RegExp) => {
      expect((await ask()).text, what).toMatch(words)
      ended.push(what)
    }
    const sick = '/find?path=docs/sick/plan.txt'
    await Promise.all([
      asked('the sick path', () => browser.get(sick), /docs\/sick.* does not answer/),
      asked('an agent', () => call('why_not', { file: `${place}/plan.txt` }), /does not answer/),
      asked('the list', () => browser.get('/files'), /plan\.txt/),
      asked('outside', () => browser.get('/find?path=/etc/passwd'), /Outside/),
    ])
    expect(performance.now() - began).toBeLessThan(max_answer_ms)
    expect(ended.slice(0, 2).sort(), 'what does not wait').toEqual(['outside', 'the list'])
    mount.goOn()
  },
)
