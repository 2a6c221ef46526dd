import { day_ms, hour_ms, minute_ms, second_ms } from '../../base/time/time.ts'

/**
 * What nobody can choose better than we can, with its reason; by the sections of the configuration, in which the program meets
 * them. Tests have shorter times.
 */
export const constants = {
  folder: {
    /** A file that changes without a pause is looked at after so long all the same: a log, a download that drips. */
    settle_cap_ms: 10 * minute_ms,
  },
  uploads: {
    /** Failed attempts for one file before a person is asked, with the pauses up to 18 minutes: longer than a passing fault. */
    max_attempts: 12,
    /** Of the service, until an answer begins, and for all of it with a second more for each 16 KiB: answers are small. */
    request_timeout_ms: 30 * second_ms,
    /** An upload during which no byte moves for so long is tried again: a change of network takes seconds. */
    stall_timeout_ms: minute_ms,
    /** Files up to this are read once and sent from memory; larger ones are streamed. Most documents are smaller. */
    small_file_bytes: 2 ** 20,
    /** The pause before the second attempt, which doubles each time, with jitter: a passing fault is over by then. */
    retry_first_ms: second_ms,
    /** Soon enough after an outage, and no burden during one. */
    retry_most_ms: 5 * minute_ms,
    /** The time of `brake`: a day, the measure in which people think of this. */
    brake_hours: 24,
  },
  follow: {
    /** The first look whether a sent file is ready; then later and later. Small texts are ready within a second. */
    first_ms: 300,
    /** Two calls a minute for what takes long. */
    most_ms: 30 * second_ms,
    /** From so many pending files on, pages of 100 are read: a page costs one call, but holds others, too. */
    list_from: 20,
    /** An asset that the service names for known content and that stays empty for so long is not waited for. */
    dead_hit_after_ms: 15 * minute_ms,
    /** A single pass (`sluice sync`) ends when nothing has gone on for so long but the service reading what was sent. */
    pass_wait_ms: 5 * minute_ms,
  },
  audit: {
    /** From the begin of a round to that of the next: what somebody removes on the service is known here the next day. */
    round_hours: 24,
    /** Nobody notices these calls, 100 assets each; more where a round would take longer than round_hours. */
    pages_per_minute: 10,
  },
  removal: {
    /** What was removed by itself in this time counts with what is about to be: what goes on all day is noticed, too. */
    per_hours: 24,
  },
  hashing: {
    /** One core reads 600 MB a second, more than most disks; the machine has other work. */
    threads: 2,
  },
  scan: {
    /** A root that is silent for longer is offline, as a share whose server is gone: a disk that spins up answers sooner. */
    answer_ms: 10 * second_ms,
    /** A folder that held more and is empty counts as offline until a person accepts it; fewer may well have been cleared. */
    empty_folder_files: 10,
    /** A folder that lost more than this, and more than the percent, counts as offline as well. People delete in tens. */
    missing_files: 100,
    /** A disk or a share that is not there takes nearly all with it; who clears away less than half is not asked. */
    missing_percent: 50,
    /** More waiting events are replaced by one scan: the kernel keeps 16,384, and so many are dearer than a scan. */
    max_hints: 10_000,
  },
  watching: {
    /** Larger folders are watched natively. Up to there chokidar starts within a second and takes about 100 MB. */
    chokidar_entries: 10_000,
    /** Of the user's inotify watches, for all folders: editors and desktops need some of the same. */
    inotify_percent: 75,
    /** Of the free memory, for one folder: what a watcher takes stays taken. */
    memory_percent: 25,
    /** So many events at once mean a scan: far below the 16,384 at which the kernel drops them, more than a person saves. */
    burst_events: 1_000,
    /** So many changes in one directory become one look at it, which is cheaper from there on. */
    directory_hints: 200,
    /** How often an offline folder is checked, and an online one for whether it still is the same directory. */
    root_check_ms: 5 * second_ms,
    /** The rest between a scan and the next one that events or a command ask for: many events are one scan. */
    scan_rest_ms: 2 * second_ms,
    /** Where nothing is watched, the shortest rest between scans that find something: people look after a minute. */
    scan_least_ms: 30 * second_ms,
    /** The longest rest while nothing changes: what a file on a quiet share may wait. */
    scan_most_ms: 15 * minute_ms,
    /** Of the time, for scans on that timer: one that takes ten minutes is made every 100 minutes. */
    scan_load_percent: 10,
    /** The rest between scans of what a watcher does not cover: hardly noticed, and rare enough to cost little. */
    missed_scan_ms: 2 * minute_ms,
    /** A watcher that missed something in so many scans in a row is deaf: one may be bad luck. */
    deaf_after_scans: 3,
    /** A watcher that told of none of so many changes is deaf at once: a single one may have come while it started. */
    deaf_after_files: 10,
    /** What makes a watcher deaf (a file system, a limit) is rarely changed sooner. */
    deaf_rest_ms: day_ms,
  },
  asking: {
    /** The first look for an answer; then later and later. None is faster. */
    first_ms: second_ms,
    /** Four calls a minute: nobody waits at a screen for a report. */
    most_ms: 15 * second_ms,
    /** A question whose fate is unknown is looked for so long: a chat shows within seconds, and asking twice costs more. */
    look_for_ms: 2 * minute_ms,
    /** The pause before a delivery is tried a second time, which doubles each time. */
    deliver_first_ms: 10 * second_ms,
    /** Soon enough after an outage. */
    deliver_most_ms: hour_ms,
    /** A receiver that breaks on Friday is mended on Monday. */
    deliver_give_up_ms: 3 * day_ms,
  },
  log: {
    /** Above that files are told in a summary: journald drops lines beyond 10,000 in 30 s. */
    files_per_second: 10,
  },
  health: {
    /** A service that cannot be used for longer is told (a refused token at once): updates and short outages pass in less. */
    unreachable_ms: 15 * minute_ms,
    /** How often health is judged: a look is a few rows, and scrapes come every 15 s. */
    look_ms: 10 * second_ms,
    /** Beyond rescan_interval_ms without a whole look a folder is stale: the scan of a slow share takes its time. */
    scan_late_ms: hour_ms,
    /** Beyond the time for a round an audit is late: one that an outage cut off has a day to be made up. */
    audit_late_ms: day_ms,
    /** Beyond its waits and the time of its answer a prompt has missed its time: enough for a second try. */
    prompt_late_ms: 15 * minute_ms,
  },
  watchdog: {
    /** Work that has not moved for so long is stuck; waiting is no silence. A busy disk answers within a minute. */
    silence_ms: 5 * minute_ms,
  },
  alerts: {
    /** What goes wrong within this is one message, and what is right again is none: one cause often breaks several promises. */
    group_ms: minute_ms,
    /** Checkers that wait for three pings tell within a quarter of an hour. */
    ping_every_ms: 5 * minute_ms,
    /** What was told counts as cured when it has been right for so long: what comes and goes is one alert, not twenty. */
    resolve_after_ms: 10 * minute_ms,
  },
}

/** The values of a configuration, without what no file can set. */
export function withoutConstants(config: object): Record<string, unknown> {
  const kept = Object.entries(config).map(([section, values]) => {
    const names = new Set(Object.keys((constants as Record<string, object>)[section] ?? {}))
    if (names.size === 0) return [section, values]
    return [section, Object.fromEntries(Object.entries(values).filter(([name]) => !names.has(name)))]
  })
  return Object.fromEntries(
    kept.filter(([, values]) => Object.keys(Object(values)).length > 0 || typeof values !== 'object'),
  )
}
