import { fstatSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** All that Sluice takes from its environment; nothing else reads it. Unset and empty variables are the same. */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env) {
  const set = (name: string) => env[name] || undefined
  const home = set('HOME') ?? homedir()
  // XDG Base Directory Specification: relative values are ignored.
  const xdg = (name: string, usual: string) => {
    const value = set(name)
    return value && isAbsolute(value) ? value : join(home, usual)
  }
  const proxy = (name: string) => set(name) ?? set(name.toUpperCase())
  return {
    /** The configuration file, unless --config names one. */
    config_file: set('SLUICE_CONFIG'),
    home,
    config_home: xdg('XDG_CONFIG_HOME', '.config'),
    state_home: xdg('XDG_STATE_HOME', '.local/state'),
    /** Of systemd.exec(5), the first where there are several. */
    state_directory: set('STATE_DIRECTORY')?.split(':')[0],
    /** Of systemd.exec(5). */
    credentials_directory: set('CREDENTIALS_DIRECTORY'),
    token_file: set('SLUICE_TOKEN_FILE'),
    /** A secret. */
    token: set('SLUICE_TOKEN'),
    log_level: set('SLUICE_LOG_LEVEL'),
    log_format: set('SLUICE_LOG_FORMAT'),
    /** The variables that curl and others know, small letters first. Their values may hold a password. */
    proxy: { http_proxy: proxy('http_proxy'), https_proxy: proxy('https_proxy'), no_proxy: proxy('no_proxy') },
    /** All that commands of deliveries get of it. */
    for_commands: { PATH: set('PATH'), HOME: home, LANG: set('LANG') },
    no_color: set('NO_COLOR') !== undefined,
    /** Of a service of systemd (sd_notify(3), sd_watchdog_enabled(3)), where they are meant for this process. */
    notify: {
      NOTIFY_SOCKET: set('NOTIFY_SOCKET'),
      WATCHDOG_USEC: isOurs(set('WATCHDOG_PID')) ? set('WATCHDOG_USEC') : undefined,
    },
    /** Colours where there is no terminal, too; NO_COLOR is stronger. */
    force_color: !['0', 'false', undefined].includes(set('FORCE_COLOR')),
    /** Standard error is read by journald, which then understands priorities at the head of a line. */
    journal: isStandardError(set('JOURNAL_STREAM')),
  }
}

export type Environment = Readonly<ReturnType<typeof readEnvironment>>

/** Set for the service's main process; its children inherit it. */
function isOurs(watchdog_pid: string | undefined): boolean {
  return watchdog_pid === undefined || watchdog_pid === String(process.pid)
}

/** JOURNAL_STREAM is `device:inode` (systemd.exec(5)); it is inherited, so what it names must still be our standard error. */
function isStandardError(stream: string | undefined): boolean {
  if (!stream) return false
  const { dev, ino } = fstatSync(2, { bigint: true })
  return stream === `${dev}:${ino}`
}

const not_passed_on = /^(SLUICE|WATCHDOG)_|_proxy$|^(CREDENTIALS_DIRECTORY|STATE_DIRECTORY|NOTIFY_SOCKET)$/i

/** For a command that knows this configuration, and nothing of the service, token, proxy and unit that this environment names. */
export function environmentWith(config_file: string, env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const others = Object.entries(env).filter(([name]) => !not_passed_on.test(name))
  return { ...Object.fromEntries(others), SLUICE_CONFIG: config_file }
}
