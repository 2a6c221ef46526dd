import { z } from 'zod'
import { count, duration } from './fields.ts'

const day_ms = 86_400_000

export const watching_schema = z.strictObject({
  chokidar_entries: count({
    usual: 10_000,
    least: 0,
    most: 1_000_000,
    about:
      'Folders with more files and subfolders than this are watched natively (one inotify watch a folder, not one a file). ' +
      'Default 10000: up to there chokidar starts within a second and takes about 100 MB.',
  }),
  inotify_percent: count({
    usual: 75,
    least: 1,
    most: 100,
    about:
      'The part of the inotify watches of this user that all folders together may take. Default 75: editors, synchronisers ' +
      'and desktops need some of the same.',
  }),
  memory_percent: count({
    usual: 25,
    least: 1,
    most: 100,
    about:
      'The part of the free memory that watching one folder may take. Default 25: what a watcher takes stays taken, and the ' +
      'machine has other work.',
  }),
  burst_events: count({
    usual: 1_000,
    least: 10,
    most: 16_384,
    about:
      'So many events at once mean that the kernel may have dropped some: the folder is scanned after them. Default 1000: far ' +
      'below the 16384 at which the kernel drops them in silence, more than a person saves.',
  }),
  directory_hints: count({
    usual: 200,
    least: 2,
    most: 100_000,
    about:
      'So many changes in one subfolder that wait to be looked at become one look at the subfolder. Default 200: from there on ' +
      'reading the subfolder is cheaper than remembering each name.',
  }),
  scan_least_ms: duration('ms', {
    usual: '30s',
    least: 100,
    most: day_ms,
    about:
      'Where nothing is watched the folder is scanned on a timer: after one that found changes sooner, down to this. Default ' +
      '30s: people who wait for a file look after a minute.',
  }),
  scan_most_ms: duration('ms', {
    usual: '15m',
    least: 1_000,
    most: 7 * day_ms,
    about:
      'And while nothing changes later and later, up to this, or to rescan_interval_ms of the folder where that is shorter. ' +
      'Default 15m: what a file on a quiet share may wait.',
  }),
  scan_load_percent: count({
    usual: 10,
    least: 1,
    most: 100,
    about:
      'Scans on that timer take at most this part of the time. Default 10: a scan of ten ' +
      'minutes over a slow line is made every 100 minutes, whatever else is said here.',
  }),
  missed_scan_ms: duration('ms', {
    usual: '2m',
    least: 1_000,
    most: day_ms,
    about:
      'How often a folder is scanned at the least while its watcher does not cover all of it; after scans that found what a ' +
      'watcher missed their interval falls down to this. Default 2m: soon enough to be hardly noticed, rare enough to cost little.',
  }),
  deaf_after_scans: count({
    usual: 3,
    least: 1,
    most: 100,
    about:
      'A watcher that missed something in so many scans in a row is taken for deaf: it is made anew, and where that does not ' +
      'help a folder that is watched natively is only scanned. Default 3: one may be bad luck.',
  }),
  deaf_after_files: count({
    usual: 10,
    least: 1,
    most: 1_000_000,
    about:
      'A watcher that told of none of so many changes is taken for deaf at once. Default 10: a single change may have come ' +
      'while it started.',
  }),
  deaf_rest_ms: duration('ms', {
    usual: '1d',
    least: 1_000,
    most: 365 * day_ms,
    about:
      'After so long a folder whose watcher was deaf is watched again, to see whether that has changed. Default 1d: what made it ' +
      'deaf (a file system, a limit) is rarely changed sooner.',
  }),
})
