import { fstatSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** Facts about the streams of the process that shows the output of this one. */
export interface Relayed {
  stdout: object
  stderr: object
  journal: boolean
}

const relayed_variable = 'SLUICE_RELAYED'

/** The environment of a process whose output this one shows. */
export function environmentOfRelayed(relayed: Relayed): NodeJS.ProcessEnv {
  return { ...process.env, [relayed_variable]: JSON.stringify(relayed) }
}

/**
 * The variables that Sluice uses; no other module reads them. An empty variable counts as unset.
 */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env) {
  const set = (name: string) => env[name] || undefined
  const home = set('HOME') ?? homedir()
  // XDG Base Directory Specification: relative values are ignored.
  const xdg = (name: string, usual: string) => {
    const value = set(name)
    return value && isAbsolute(value) ? value : join(home, usual)
  }
  const proxy = (name: string) => set(name) ?? set(name.toUpperCase())
  const relayed = JSON.parse(set(relayed_variable) ?? 'null') as Relayed | null
  return {
    /** The configuration file; --config comes before it. */
    config_file: set('SLUICE_CONFIG'),
    home,
    config_home: xdg('XDG_CONFIG_HOME', '.config'),
    state_home: xdg('XDG_STATE_HOME', '.local/state'),
    /** StateDirectory= of systemd.exec(5); the first directory if there are several. */
    state_directory: set('STATE_DIRECTORY')?.split(':')[0],
    /** Directory of the systemd credentials, systemd.exec(5). */
    credentials_directory: set('CREDENTIALS_DIRECTORY'),
    token_file: set('SLUICE_TOKEN_FILE'),
    /** A secret. */
    token: set('SLUICE_TOKEN'),
    base_url: set('SLUICE_BASE_URL'),
    project_id: set('SLUICE_PROJECT_ID'),
    state_dir: set('SLUICE_STATE_DIR'),
    log_level: set('SLUICE_LOG_LEVEL'),
    log_format: set('SLUICE_LOG_FORMAT'),
    /** Lower case comes before upper case. Values may hold a password. */
    proxy: {
      http_proxy: proxy('http_proxy'),
      https_proxy: proxy('https_proxy'),
      no_proxy: proxy('no_proxy'),
    },
    /** The environment of commands that deliver reports. Without PATH, that of execvp(3). */
    for_commands: { PATH: set('PATH') ?? '/bin:/usr/bin', HOME: home, LANG: set('LANG') },
    no_color: set('NO_COLOR') !== undefined,
    /** `npm run demo` runs this program. */
    by_npm: set('npm_lifecycle_event') === 'demo',
    /** Variables of sd_notify(3) and sd_watchdog_enabled(3), if they are meant for this process. */
    notify: {
      NOTIFY_SOCKET: set('NOTIFY_SOCKET'),
      WATCHDOG_USEC: isOurs(set('WATCHDOG_PID')) ? set('WATCHDOG_USEC') : undefined,
    },
    /** Colours even without a terminal; NO_COLOR comes before it. */
    force_color: !['0', 'false', undefined].includes(set('FORCE_COLOR')),
    /** journald reads standard error: lines may begin with a priority. */
    journal: relayed?.journal ?? isStandardError(set('JOURNAL_STREAM')),
    /** Another process of Sluice shows the output of this one (cli/relay.ts). */
    relayed,
  }
}

export type Environment = Readonly<ReturnType<typeof readEnvironment>>

/** systemd sets WATCHDOG_PID for the main process; child processes inherit it. */
function isOurs(watchdog_pid: string | undefined): boolean {
  return watchdog_pid === undefined || watchdog_pid === String(process.pid)
}

/**
 * JOURNAL_STREAM is `device:inode` of systemd.exec(5). Child processes inherit it, so it must be
 * compared with the standard error of this process.
 */
function isStandardError(stream: string | undefined): boolean {
  if (!stream) return false
  const { dev, ino } = fstatSync(2, { bigint: true })
  return stream === `${dev}:${ino}`
}

const not_passed_on =
  /^(SLUICE|WATCHDOG)_|_proxy$|^(CREDENTIALS_DIRECTORY|STATE_DIRECTORY|NOTIFY_SOCKET)$/i

/**
 * Returns the environment for a command with another configuration. Variables that name the
 * service, token, proxy or unit of this process are left out.
 */
export function environmentWith(
  config_file: string,
  env: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const others = Object.entries(env).filter(([name]) => !not_passed_on.test(name))
  return { ...Object.fromEntries(others), SLUICE_CONFIG: config_file }
}
