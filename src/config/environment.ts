import { fstatSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** All that Sluice takes from its environment; nothing else reads it. Unset and empty variables are the same. */
export interface Environment {
  /** SLUICE_CONFIG: the configuration file, unless --config names one. */
  readonly config_file: string | undefined
  readonly home: string
  /** XDG Base Directory Specification: relative values are ignored. */
  readonly config_home: string
  readonly state_home: string
  /** STATE_DIRECTORY of systemd.exec(5), the first where there are several. */
  readonly state_directory: string | undefined
  /** CREDENTIALS_DIRECTORY of systemd.exec(5). */
  readonly credentials_directory: string | undefined
  readonly token_file: string | undefined
  /** A secret. */
  readonly token: string | undefined
  readonly log_level: string | undefined
  readonly log_format: string | undefined
  readonly proxy: ProxyEnvironment
  /** All that commands of deliveries get of it. */
  readonly for_commands: { readonly PATH: string | undefined; readonly HOME: string; readonly LANG: string | undefined }
  readonly no_color: boolean
  /** Of a service of systemd (sd_notify(3), sd_watchdog_enabled(3)), where they are meant for this process. */
  readonly notify: { readonly NOTIFY_SOCKET: string | undefined; readonly WATCHDOG_USEC: string | undefined }
  /** FORCE_COLOR: colours where there is no terminal, too; NO_COLOR is stronger. */
  readonly force_color: boolean
  /** Standard error is read by journald, which then understands priorities at the head of a line. */
  readonly journal: boolean
}

/** The variables that curl and others know, small letters first. Their values may hold a password. */
export interface ProxyEnvironment {
  readonly http_proxy: string | undefined
  readonly https_proxy: string | undefined
  readonly no_proxy: string | undefined
}

export function readEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  const set = (name: string) => env[name] || undefined
  const home = set('HOME') ?? homedir()
  const xdg = (name: string, usual: string) => {
    const value = set(name)
    return value && isAbsolute(value) ? value : join(home, usual)
  }
  const proxy = (name: string) => set(name) ?? set(name.toUpperCase())
  return {
    config_file: set('SLUICE_CONFIG'),
    home,
    config_home: xdg('XDG_CONFIG_HOME', '.config'),
    state_home: xdg('XDG_STATE_HOME', '.local/state'),
    state_directory: set('STATE_DIRECTORY')?.split(':')[0],
    credentials_directory: set('CREDENTIALS_DIRECTORY'),
    token_file: set('SLUICE_TOKEN_FILE'),
    token: set('SLUICE_TOKEN'),
    log_level: set('SLUICE_LOG_LEVEL'),
    log_format: set('SLUICE_LOG_FORMAT'),
    proxy: { http_proxy: proxy('http_proxy'), https_proxy: proxy('https_proxy'), no_proxy: proxy('no_proxy') },
    for_commands: { PATH: set('PATH'), HOME: home, LANG: set('LANG') },
    no_color: set('NO_COLOR') !== undefined,
    notify: {
      NOTIFY_SOCKET: set('NOTIFY_SOCKET'),
      WATCHDOG_USEC: isOurs(set('WATCHDOG_PID')) ? set('WATCHDOG_USEC') : undefined,
    },
    force_color: !['0', 'false', undefined].includes(set('FORCE_COLOR')),
    journal: isStandardError(set('JOURNAL_STREAM')),
  }
}

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
