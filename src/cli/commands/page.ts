import { readFileSync } from 'node:fs'
import { causeOf, SluiceError } from '../../base/run/errors.ts'
import { counted } from '../../base/text/format.ts'
import { second_ms, system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { hostAndPort, isLocalListen } from '../../config/listen.ts'
import { checkPage } from '../../inspect/doctor/check-page.ts'
import type { LedgerView } from '../../ledger/views/view.ts'
import { noSuchUser, openPageStore, type PageStore } from '../../page/access/page-store.ts'
import { hashPassword } from '../../page/access/passwords.ts'
import { group_prefix } from '../../page/access/recognise.ts'
import { withLedgerView } from '../../status/with-view.ts'
import { argument, defineCommand, flag, text, texts } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { loadFor } from '../on-paths.ts'
import { printNote } from '../text/print.ts'
import { tableLines } from '../text/table.ts'

const try_again_ms = 200

/** Prints a link that signs its first user in as the operator. */
export const command = defineCommand({
  options: (yargs) => yargs,
  async run({ config: named }, terminal) {
    const { config, file } = await loadFor(terminal, { file: named })
    if (config.page.listen === 'off') throw pageOff(file)
    terminal.out(await servedLink(config))
    printNote(terminal, 'the link works once, within ten minutes')
    return exit_codes.ok
  },
})

function pageOff(file: string): SluiceError {
  const hint = `add the line \`page: {listen: 127.0.0.1:8470}\` to ${file}, then \`sluice reload\` (or start the daemon: \`sluice run\`)`
  return wrong('config.page', `the page is off: ${file} does not switch it on`, hint)
}

interface Patience {
  max_ms: number
  stopped?: AbortSignal
}

/** A reload may have turned the page on a moment ago. */
const usual_patience: Patience = { max_ms: 3 * second_ms }

/** A one-time link that a browser reaches. Error `usage.page`. */
export async function servedLink(config: Config, patience = usual_patience): Promise<string> {
  const link = makeLink(config)
  await refuseUnserved(config, patience)
  return link
}

/** Error `usage.page` if no browser would reach it in this time. */
async function refuseUnserved(config: Config, { max_ms, stopped }: Patience): Promise<void> {
  for (let left_ms = max_ms; ; left_ms -= try_again_ms) {
    const check = (ledger: LedgerView | undefined) =>
      checkPage({ config, clock: system_clock, ledger, isUnresponsive: () => false })
    const { level, message, hint } = (await withLedgerView(config.state_dir, check)).at(-1)!
    if (level === 'ok') return
    if (left_ms <= 0 || stopped?.aborted)
      throw wrong('usage.page', `${config.page.listen}: ${message}`, hint)
    await system_clock.sleep(try_again_ms, stopped)
  }
}

/** A one-time link to a page on this machine. Error `usage.page`. */
export function makeLink(config: Config): string {
  const { listen } = config.page
  const address = addressOf(config)
  if (!isLocalListen(listen) || address === undefined) {
    const message = `a one-time link is for a page on this machine only, and this one listens on ${listen}`
    throw wrong(
      'usage.page',
      message,
      'add yourself as a user: `sluice page user add NAME --role operator`',
    )
  }
  return `${address}/link/${withStore(config, (store) => store.makeLink())}`
}

/** The address of the page, as its users write it. Undefined if only the administrator knows it. */
function addressOf({ page: { listen, base_url, tls_cert } }: Config): string | undefined {
  if (base_url !== undefined || hostAndPort(listen) === undefined)
    return base_url?.replace(/\/+$/, '')
  return isLocalListen(listen)
    ? `${tls_cert === undefined ? 'http' : 'https'}://${listen}`
    : undefined
}

export const add = defineCommand({
  options: (yargs) =>
    yargs
      .positional(
        'name',
        argument('a name to sign in with; group:NAME for a group that a proxy names'),
      )
      .option('role', {
        choices: ['reader', 'operator'] as const,
        describe: 'what they may do (default: reader, or what it was)',
      })
      .option(
        'folder',
        texts('a folder that they see; may be repeated (default: all, or what it was)'),
      )
      .option(
        'password-file',
        text('the file with the password; - is standard input (default: asked for)'),
      ),
  async run({ config: file, name, role, folder, 'password-file': password_file }, terminal) {
    const { config } = await loadFor(terminal, { file })
    if (!/^[^\p{C}\p{Z}][^\p{C}]{0,99}$/u.test(name) || name.trim() === group_prefix) {
      throw wrong(
        'usage.user',
        'this cannot be the name of a user',
        'take up to 100 characters in one line, for a group also after group:',
      )
    }
    const unknown = (folder ?? []).find(
      (one) => !config.folders.some((known) => known.name === one),
    )
    if (unknown !== undefined) {
      const hint = `the configuration has ${config.folders.map((known) => known.name).join(', ')}`
      throw wrong('usage.folder', `there is no folder ${unknown}`, hint)
    }
    // A new role or folder of a user who has a password changes that alone, and ends no session.
    const has_change = role !== undefined || folder !== undefined
    const keeps_password =
      has_change && withStore(config, (store) => store.user(name))?.password !== undefined
    // A group and a user of a proxy need none.
    const needs_password =
      !keeps_password &&
      !name.startsWith(group_prefix) &&
      config.page.proxy.user_header === undefined
    const asked =
      needs_password && password_file === undefined
        ? await askPassword(terminal.is_interactive)
        : undefined
    const password = password_file === undefined ? asked : readPassword(password_file)
    const hash = password === undefined ? undefined : await hashPassword(checked(password))
    // A new password must not widen what the user may see.
    const user = withStore(config, (store) => {
      const before = store.user(name) ?? { role: 'reader' as const, folders: 'all' as const }
      const after = {
        name,
        role: role ?? before.role,
        folders: folder ?? before.folders,
        password: hash,
      }
      store.putUser(after)
      return after
    })
    const seen = user.folders === 'all' ? 'all folders' : user.folders.join(', ')
    const kept = keeps_password && !hash ? '; the password and open sessions stay' : ''
    terminal.out(`${name} may use the page as ${user.role}, and sees ${seen}${kept}`)
    return exit_codes.ok
  },
})

export const list = defineCommand({
  options: (yargs) => yargs,
  async run({ config: file }, terminal) {
    const rows = withStore((await loadFor(terminal, { file })).config, (store) => {
      const sessions = store.sessionCounts()
      const rows = store
        .users()
        .map(({ name, role, folders, password, has_token }) => [
          name,
          role,
          folders === 'all' ? 'all' : folders.join(', '),
          password === undefined ? 'no' : 'yes',
          has_token ? 'yes' : 'no',
          String(sessions.get(name) ?? 0),
        ])
      const by_link = sessions.get(null)
      return by_link === undefined
        ? rows
        : [...rows, ['(by link)', 'operator', 'all', 'no', 'no', String(by_link)]]
    })
    const columns = ['NAME', 'ROLE', 'FOLDERS', 'PASSWORD', 'TOKEN', 'SESSIONS']
    terminal.out(tableLines(columns, rows, terminal.width).join('\n'))
    return exit_codes.ok
  },
})

export const remove = defineCommand({
  options: (yargs) => yargs.positional('name', argument('the user')),
  async run({ config: file, name }, terminal) {
    const is_gone = withStore((await loadFor(terminal, { file })).config, (store) =>
      store.removeUser(name),
    )
    if (!is_gone) throw noSuchUser(name)
    terminal.out(`${name} may not use the page any more`)
    return exit_codes.ok
  },
})

export const logout = defineCommand({
  options: (yargs) =>
    yargs.positional('name', {
      type: 'string',
      describe: 'the user (default: who came by a link)',
    }),
  async run({ config: file, name }, terminal) {
    const ended = withStore((await loadFor(terminal, { file })).config, (store) => {
      if (name !== undefined && !store.user(name)) throw noSuchUser(name)
      return store.endSessions(name ?? null)
    })
    terminal.out(`${counted(ended, 'session')} of ${name ?? 'one-time links'} ended`)
    return exit_codes.ok
  },
})

export const token = defineCommand({
  options: (yargs) =>
    yargs
      .positional('name', argument('the user'))
      .option('remove', flag('end the token, and make none')),
  async run({ config: file, name, remove }, terminal) {
    const { config } = await loadFor(terminal, { file })
    const { token, had_one } = withStore(config, (store) => {
      const had_one = store.user(name)?.has_token === true
      if (!remove) return { token: store.makeToken(name), had_one }
      if (!store.removeToken(name)) throw noSuchUser(name)
      return { token: undefined, had_one }
    })
    terminal.out(token ?? `${name} has no token${had_one ? ' any more' : ''}`)
    if (token === undefined) return exit_codes.ok
    const ended = had_one ? '; the earlier token of this user has ended' : ''
    printNote(terminal, `it is shown this once${ended}`)
    printNote(terminal, agentsText(config))
    return exit_codes.ok
  },
})

/** Tells where agents send the token. */
function agentsText(config: Config): string {
  if (config.page.listen === 'off')
    return 'nothing takes it while the page is off: `sluice page` says how to turn it on'
  const address = addressOf(config)
  return address === undefined
    ? 'agents send it to /mcp below the address of the page'
    : `agents send it to ${address}/mcp`
}

function withStore<Answer>(config: Config, use: (store: PageStore) => Answer): Answer {
  const store = openPageStore(config.state_dir, system_clock)
  try {
    return use(store)
  } finally {
    store.close()
  }
}

function wrong(code: string, message: string, hint?: string): SluiceError {
  return new SluiceError({ code, message, hint })
}

const min_password_characters = 10
const password_rule = `a password needs at least ${min_password_characters} characters`
const password_advice = 'four words that do not belong together are easy to remember'

function checked(password: string): string {
  if (password.length >= min_password_characters) return password
  throw wrong('usage.password', password_rule, password_advice)
}

function readPassword(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw wrong(
      'usage.password',
      `${file} cannot be read: ${causeOf(error)}`,
      'check who may read it',
    )
  }
}

async function askPassword(is_interactive: boolean): Promise<string> {
  if (!is_interactive) {
    const hint = 'give it by --password-file FILE, or - for standard input'
    throw wrong('usage.password', 'a password is needed, and no user can be asked', hint)
  }
  const { password } = await import('@inquirer/prompts')
  try {
    const validate = (typed: string) =>
      typed.length >= min_password_characters || `${password_rule}: ${password_advice}`
    return await password({ message: 'Password:', mask: true, validate })
  } catch (cause) {
    // Ctrl-C, or the end of the input.
    throw new SluiceError({
      code: 'stopped.password',
      message: 'stopped: nothing was changed',
      cause,
    })
  }
}
