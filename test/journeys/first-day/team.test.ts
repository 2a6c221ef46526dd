import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addToTree, makeStore } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'

const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

interface Started {
  child: ChildProcess
  out: () => string
  /** Resolves to the whole standard output. */
  ended: Promise<string>
}

/**
 * One machine with a home for each person. The screen has what was typed, and then what was shown:
 * notes, then the answer.
 */
class Machine {
  readonly #root = makeStore()
  readonly #masks: [string, string][] = []
  #screen: string[] = []

  /** From now on the screen has `name` in the place of this text, which differs from run to run. */
  mask(text: string, name: string): string {
    this.#masks.push([text, name])
    return text
  }

  /** Writes a file that only its owner can read. */
  put(path: string, text: string): void {
    addToTree(this.#root, { [path]: text })
    chmodSync(join(this.#root, path), 0o600)
  }

  start(person: string, line: string): Started {
    addToTree(this.#root, { [`${person}/`]: '' })
    const home = join(this.#root, person)
    const env = { PATH: process.env.PATH, HOME: home }
    const child = spawn(process.execPath, [program, ...line.split(' ').slice(1)], {
      cwd: home,
      env,
    })
    let [out, err] = ['', '']
    child.stdout.on('data', (chunk) => {
      out += String(chunk)
    })
    child.stderr.on('data', (chunk) => {
      err += String(chunk)
    })
    const ended = new Promise<string>((resolve) =>
      child.on('close', (code) => {
        const answer = /^sluice init/.test(line) && code === 0 ? '(the configuration)\n' : out
        this.shows(person, line, `${err}${answer}${code === 0 ? '' : `(exit code ${code})\n`}`)
        resolve(out.trim())
      }),
    )
    return { child, out: () => out, ended }
  }

  /** Types a line and waits for its end. Returns what stood on standard output. */
  types(person: string, line: string): Promise<string> {
    return this.start(person, line).ended
  }

  shows(person: string, line: string, text: string): void {
    this.#screen.push(`${person}$ ${line}\n${text}`)
  }

  /**
   * Returns what the screen showed since the last call, without the progress of a pass and the
   * text of a configuration.
   */
  screen(): string {
    const masks = this.#masks.toSorted(([a], [b]) => b.length - a.length)
    let text = this.#screen.join('\n')
    this.#screen = []
    for (const [found, name] of masks) text = text.replaceAll(found, name)
    return text
      .replaceAll(this.#root, '')
      .replaceAll(/\d{4}-\d\d-\d\d(T[\d:.]+Z| \d\d:\d\d [A-Z][\w/]*)/g, 'TIME')
      .replaceAll(/^.*\b(sent|ready): office\/.*\n/gm, '')
      .replaceAll(/invitation_\w+/g, 'INVITATION')
      .replaceAll(/[ \t]+$/gm, '')
  }
}

/** The text of a page as a browser shows it. */
function textOf(html: string): string {
  return html
    .replace(/<style>.*<\/style>|<title>.*<\/title>/g, '')
    .replace(/<[^>]+>/g, '')
    .trim()
}

const machine = new Machine()
const admin = (line: string) => machine.types('admin', `sluice serve ${line}`)
let serve: Started
let init: string
let project_id: string

beforeAll(async () => {
  serve = machine.start('admin', 'sluice serve')
  await until('the service is ready', () => serve.out().includes('\n'))
  const api = machine.mask(JSON.parse(serve.out()).api, 'http://API')
  init = `sluice init --base-url ${api} --token-file token --yes`
})

afterAll(async () => {
  serve.child.kill('SIGTERM')
  await serve.ended
})

test('the administrator makes a user, a project and a member', async () => {
  machine.mask(await admin('user create ada@example.org'), 'USER')
  machine.put(
    'ada/token',
    machine.mask(await admin('token create ada-laptop --user ada@example.org'), 'ADAS_TOKEN'),
  )
  machine.put(
    'ada/office/plan.md',
    '# Plan\n\nThe lantern festival begins on the 12th of December.\n',
  )
  await machine.types('ada', `${init} --folder office=office`)
  project_id = machine.mask(await admin('project create Office'), 'PROJECT')
  await admin(`member add ada@example.org --project ${project_id} --role owner`)
  await admin('token list')
  expect(machine.screen()).toMatchInlineSnapshot(`
    "admin$ sluice serve user create ada@example.org
    USER

    admin$ sluice serve token create ada-laptop --user ada@example.org
    Keep it in a file that only you can read: it is not shown again.
    It reaches nothing yet: ada@example.org is a member of no project. \`sluice serve member add ada@example.org --project PROJECT --role ROLE\` changes that.
    ADAS_TOKEN

    ada$ sluice init --base-url http://API --token-file token --yes --folder office=office
    sluice: init does not ask here, and --project is missing
      the token reaches no project: ask the administrator to make you a member of one (on a local service: \`sluice serve member add YOUR-EMAIL --project PROJECT --role collaborator\`)
    (exit code 64)

    admin$ sluice serve project create Office
    PROJECT

    admin$ sluice serve member add ada@example.org --project PROJECT --role owner
    ada@example.org has the role owner in PROJECT; \`sluice serve token create NAME --user ada@example.org\` makes a token for them

    admin$ sluice serve token list
    TOKEN       CREATED                   USER             PROJECTS
    ada-laptop  TIME  ada@example.org  PROJECT
    "
  `)
})

test('the first member sends files and asks', async () => {
  // The only project that the token reaches needs no name.
  await machine.types('ada', `${init} --folder office=office`)
  await machine.types('ada', 'sluice plan')
  await machine.types('ada', 'sluice sync')
  await machine.types('ada', 'sluice ask When does the lantern festival begin?')
  expect(machine.screen()).toMatchInlineSnapshot(`
    "ada$ sluice init --base-url http://API --token-file token --yes --folder office=office
    office  /ada/office
      1 file (61 B)
      1 .md
    first sync: 1 file (61 B) to upload
      it takes about 1 s with 16 calls at once (uploads.concurrency), if each takes 0.1 s
    written: /ada/.config/sluice/sluice.yaml
    next:
      sluice plan
          shows which files would be uploaded, which not and why; uploads nothing
      sluice run
          uploads them, and watches the folders until Ctrl-C
    (the configuration)

    ada$ sluice plan
    would be uploaded: 1 file (61 B)
      there is no ledger yet, so every file counts as new
      the project may have some of these bytes already: --hash reads the files and finds them
      .md: 1 file (61 B)
      it takes about 1 s with 16 calls at once (uploads.concurrency), if each takes 0.1 s
      everybody in the project can learn what is in it, whatever the permissions of the share: who may read what on disk is not carried over

    office  /ada/office
      would be uploaded: 1 file (61 B)

    ada$ sluice sync
    ready      1 file, 61 B
               new: 1 uploaded (61 B)

    ada$ sluice ask When does the lantern festival begin?
    asking about the whole project
    **office/plan.md, Plan**

    > # Plan
    >
    > The lantern festival begins on the 12th of December.

    _This answer is extractive: it quotes the sources above word for word. No language model wrote any of it._

    asked about the whole project
    "
  `)
})

test('the second member accepts an invitation, and the administrator never sees the token', async () => {
  const link = machine.mask(
    await admin(`member add bob@example.org --project ${project_id} --role reader`),
    'LINK',
  )
  for (const method of ['GET', 'POST', 'GET']) {
    const html = await (await fetch(link, { method })).text()
    const token = /pat_\w+/.exec(html)?.[0]
    if (token !== undefined) machine.put('bob/token', machine.mask(token, 'BOBS_TOKEN'))
    machine.shows('bob', `(browser) ${method} LINK`, `${textOf(html)}\n`)
  }
  machine.put('bob/notes/a.md', 'Mine.\n')
  await machine.types('bob', `${init} --folder notes=notes --project Office`)
  await machine.types('bob', 'sluice ask When does the lantern festival begin?')
  await admin('member list')
  await admin('token list')
  expect(machine.screen()).toMatchInlineSnapshot(`
    "admin$ sluice serve member add bob@example.org --project PROJECT --role reader
    bob@example.org is no user yet. Send them this link: it shows them a token, once, until TIME
    LINK

    bob$ (browser) GET LINK
    Invitation to Office
    You, bob@example.org, are invited to the project Office with the role reader.
    Accept, and show my token
    The token is shown only once. This link works once, until TIME.

    bob$ (browser) POST LINK
    You are a member of Office
    Your token, which is shown only now: BOBS_TOKEN
    Keep it where only you can read it: whoever has it can act as you.
    sluice init asks for it, and for this address: http://API
    If you lose it, ask the administrator to revoke INVITATION and to make a new one.

    bob$ (browser) GET LINK
    This invitation cannot be used
    It was used already, it has expired, or a newer one has replaced it.
    Ask the person who invited you for a new one.

    bob$ sluice init --base-url http://API --token-file token --yes --folder notes=notes --project Office
    warning: the token has the role reader in the project: it may read and ask, and not upload; ask an owner of the project for the role collaborator (on a local service: \`sluice serve member add YOUR-EMAIL --project PROJECT --role collaborator\`)
    notes  /bob/notes
      1 file (6 B)
      1 .md
    first sync: 1 file (6 B) to upload
      it takes about 1 s with 16 calls at once (uploads.concurrency), if each takes 0.1 s
    written: /bob/.config/sluice/sluice.yaml
    next:
      sluice plan
          shows which files would be uploaded, which not and why; uploads nothing
      sluice run
          uploads them, and watches the folders until Ctrl-C
    (the configuration)

    bob$ sluice ask When does the lantern festival begin?
    asking about the whole project
    **office/plan.md, Plan**

    > # Plan
    >
    > The lantern festival begins on the 12th of December.

    _This answer is extractive: it quotes the sources above word for word. No language model wrote any of it._

    asked about the whole project

    admin$ sluice serve member list
    PROJECT                       SINCE                     ROLE    JOINED   USER
    PROJECT  TIME  owner   added    ada@example.org
    PROJECT  TIME  reader  invited  bob@example.org

    admin$ sluice serve token list
    TOKEN                            CREATED                   USER             PROJECTS
    ada-laptop                       TIME  ada@example.org  PROJECT
    INVITATION  TIME  bob@example.org  PROJECT
    "
  `)
})
