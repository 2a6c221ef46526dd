import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connectControl } from '../../../src/control/control-client.ts'
import { Home } from '../sluice.ts'

test('a daemon refuses an unknown folder, file or prompt by its name, and changes nothing', async () => {
  const home = await Home.make({ 'a.txt': 'one' })
  const daemon = await home.run()
  const control = (await connectControl(join(home.path, 'state')))!
  try {
    const reload = expect.stringContaining('`sluice reload`')
    for (const [asked, code, message] of [
      [
        () => control.rescan({ folder: 'attic' }),
        'usage.folder',
        'the daemon keeps no folder called attic',
      ],
      [
        () => control.retry({ folder: 'attic', path: '' }),
        'usage.folder',
        'the daemon keeps no folder called attic',
      ],
      [
        () => control.accept({ folder: 'attic', path: '' }),
        'usage.folder',
        'the daemon keeps no folder called attic',
      ],
      [
        () => control.runPrompt({ prompt: 'yearly' }),
        'usage.prompt',
        'the daemon knows no prompt called yearly',
      ],
      [
        () => control.deliverAgain({ run: 99, targets: ['mail'] }),
        'usage.run',
        'the daemon knows no run 99',
      ],
      [
        () => control.doubt({ about: 'bytes', folder: 'attic', path: 'a' }),
        'usage.folder',
        'the daemon keeps no folder',
      ],
      [
        () => control.doubt({ about: 'label', content: 99, label: 'x' }),
        'usage.content',
        'the daemon knows no content 99',
      ],
    ] as const)
      await expect(asked(), code).rejects.toMatchObject({
        code,
        message: expect.stringContaining(message),
        hint: reload,
      })
    expect((await control.ping()).pid).toBe(daemon.child.pid)
  } finally {
    await control.close()
  }
})
