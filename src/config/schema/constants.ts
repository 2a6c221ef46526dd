import { day_ms, hour_ms, minute_ms, second_ms } from '../../base/time/time.ts'

/**
 * Values that no user could choose better, each with its reason, under the sections of the
 * configuration. Tests use shorter times.
 */
export const constants = {
  folder: {
    /**
     * A file that keeps changing, as a log or a slow download does, is blocked after this time and
     * checked again at this interval. Until it is quiet, it is not read.
     */
    settle_cap_ms: 10 * minute_ms,
  },
  uploads: {
    /** Failed attempts before a file waits for a user. Their pauses take 18 minutes at most. */
    max_attempts: 12,
    /** Limit until an answer begins. The whole answer has one second more for each 16 KiB. */
    request_timeout_ms: 30 * second_ms,
    /** An upload without progress is retried after this time. A change of network takes seconds. */
    stall_timeout_ms: minute_ms,
    /**
     * Files up to this size are sent from memory, as most documents are. Larger ones are streamed.
     */
    small_file_bytes: 2 ** 20,
    /**
     * First pause before a retry; it doubles each time, with jitter. Short faults pass meanwhile.
     */
    retry_first_ms: second_ms,
    /**
     * Longest pause: uploads resume soon after an outage and do not burden the service during it.
     */
    max_retry_ms: 5 * minute_ms,
    /** Time window of the upload limit. Users think in days. */
    limit_hours: 24,
  },
  follow: {
    /** Pause before the first check of an uploaded file: small texts are ready within a second. */
    first_ms: 300,
    /** Longest pause between checks: two calls a minute. */
    max_ms: 30 * second_ms,
    /** With so many pending files, pages of 100 are read instead of single assets. */
    list_from: 20,
    /** If an asset found by md5 has no bytes after this time, Sluice uploads the file itself. */
    dead_hit_after_ms: 15 * minute_ms,
    /** `sluice sync` ends when for this time only the service was still working. */
    pass_wait_ms: 5 * minute_ms,
  },
  audit: {
    /** From the start of one audit to the next: remote removals are known here a day later. */
    round_hours: 24,
    /** 100 assets each, a small load. An audit reads more if it would exceed round_hours. */
    pages_per_minute: 10,
  },
  removal: {
    /** Removals of this time count together, so that slow mass removals are noticed. */
    per_hours: 24,
  },
  hashing: {
    /** One core hashes 600 MB a second, more than most disks deliver. */
    threads: 2,
  },
  scan: {
    /** A root without an answer for this time is offline. A disk that starts answers sooner. */
    answer_ms: 10 * second_ms,
    /** An empty folder that held more is offline until a user accepts it. */
    empty_folder_files: 10,
    /** A folder that lost more than this and the percentage is offline. Users delete in tens. */
    missing_files: 100,
    /** A missing disk takes nearly all files with it. Deleting less than half needs no user. */
    missing_percent: 50,
    /** More waiting events cost more than the scan that replaces them. The kernel keeps 16,384. */
    max_hints: 10_000,
  },
  watching: {
    /**
     * Larger folders use the native watcher. Up to this size, chokidar needs a second and 100 MB.
     */
    chokidar_entries: 10_000,
    /** Share of the user's inotify watches for all folders: other programs need some, too. */
    inotify_percent: 75,
    /** Share of the free memory for one folder: a watcher does not give memory back. */
    memory_percent: 25,
    /** More events at once cause a scan. Above 16,384 the kernel would drop events. */
    burst_events: 1_000,
    /** More changes in one directory are checked together, which is cheaper. */
    directory_hints: 200,
    /** Interval of checks whether a root is online, and still the same directory. */
    root_check_ms: 5 * second_ms,
    /** Pause between scans that events or commands ask for: many events cause one scan. */
    scan_rest_ms: 2 * second_ms,
    /** Shortest pause between scans without a watcher. Users expect changes within a minute. */
    min_scan_ms: 30 * second_ms,
    /** Longest pause without changes, and so the longest wait of a file on a quiet share. */
    max_scan_ms: 15 * minute_ms,
    /** Share of time for these scans: a scan of ten minutes repeats every 100 minutes. */
    scan_load_percent: 10,
    /** Pause between scans of parts that no watcher covers. */
    missed_scan_ms: 2 * minute_ms,
    /** A watcher that missed changes in so many scans in a row is replaced once, then given up. */
    replace_after_scans: 3,
    /** A watcher that reported none of so many changes is replaced once, then given up. */
    replace_after_files: 10,
    /** Pause before a watcher is tried again: its file system or limit rarely changes sooner. */
    given_up_rest_ms: day_ms,
  },
  asking: {
    /** First pause between checks for an answer; later ones are longer. No answer is faster. */
    first_ms: second_ms,
    /** Longest pause between checks: a report is not urgent. */
    max_ms: 15 * second_ms,
    /** Time to find a question whose call failed. A chat appears within seconds. */
    find_turn_ms: 2 * minute_ms,
    /** First pause before a delivery is retried; it doubles each time. */
    deliver_first_ms: 10 * second_ms,
    /** Longest pause between tries of a delivery. */
    max_deliver_ms: hour_ms,
    /** Tries of a delivery then end. A receiver that fails on Friday is repaired on Monday. */
    deliver_give_up_ms: 3 * day_ms,
  },
  log: {
    /** With more files, the log sums them up. journald drops lines beyond 10,000 in 30 s. */
    files_per_second: 10,
  },
  health: {
    /** A longer outage is a problem: updates are shorter. A refused token is one at once. */
    unreachable_ms: 15 * minute_ms,
    /** Interval of health checks. One reads a few rows; scrapes come every 15 s. */
    check_ms: 10 * second_ms,
    /** A folder is stale if its scan is later than rescan_interval_ms by this much. */
    scan_late_ms: hour_ms,
    /**
     * An audit is late after round_hours and this time: one that an outage stopped can be repeated.
     */
    audit_late_ms: day_ms,
    /** A prompt is late after its waits, its answer time and this time for a second try. */
    prompt_late_ms: 15 * minute_ms,
  },
  watchdog: {
    /** Work without progress for this time is stuck. Waiting counts as progress. */
    silence_ms: 5 * minute_ms,
  },
  alerts: {
    /** Problems within this time make one alert, and those resolved meanwhile make none. */
    group_ms: minute_ms,
    /** A checker that waits for three pings reports within a quarter of an hour. */
    ping_every_ms: 5 * minute_ms,
    /**
     * A reported problem is resolved when it was absent for this time, so that flapping makes one
     * alert.
     */
    resolve_after_ms: 10 * minute_ms,
  },
}

/** The configuration without constants, which no file can set. */
export function withoutConstants(config: object): Record<string, unknown> {
  const kept = Object.entries(config).map(([section, values]) => {
    const names = new Set(Object.keys((constants as Record<string, object>)[section] ?? {}))
    if (names.size === 0) return [section, values]
    return [
      section,
      Object.fromEntries(Object.entries(values).filter(([name]) => !names.has(name))),
    ]
  })
  return Object.fromEntries(
    kept.filter(
      ([, values]) => Object.keys(Object(values)).length > 0 || typeof values !== 'object',
    ),
  )
}
