import { z } from 'zod'
import { day_ms, second_ms } from '../base/time.ts'
import { choice, count, duration } from './fields.ts'

/** Of each folder. */
export const removal_policy = {
  on_delete: choice(['keep', 'remove'], 'keep').describe(
    'What becomes of the asset of a file that is deleted here. keep (default): it stays in the project and goes on answering: nothing ' +
      'there is lost because something was lost here. remove: it is removed there after delete_grace_ms, once every folder of the ' +
      'project was looked at after that and no file in any of them has these bytes.',
  ),
  delete_grace_ms: duration('ms', { usual: '7d', least: second_ms, most: 60 * day_ms }).describe(
    'With on_delete: remove, how long a file must be gone before its asset is. Default 7d: who deleted by mistake, or finds a ' +
      'share half copied after a weekend, puts it back, and nothing has happened. At most 60 days: what is gone is forgotten ' +
      'after 90.',
  ),
  on_change: choice(['keep', 'remove_old'], 'keep').describe(
    'What becomes of the old version of a file that changes. keep (default): both answer, and status counts the old ones. ' +
      'remove_old: it is removed there once the new version is ready, every other folder of the project was looked at since, ' +
      'and no file has the old bytes.',
  ),
}

export const removal_schema = z.strictObject({
  most_files: count({ usual: 100, least: 0, most: 1_000_000 }).describe(
    'Of one folder, more than this (and more than most_percent of it) is not removed on the service by itself: it waits for ' +
      '`sluice accept --removals FOLDER`. Default 100: people tidy up in tens; hundreds at once are a script, a wrong mount or an ' +
      'intruder. 0: the share alone counts. Whatever it says, more than half of a folder, and more than 10 ' +
      'files of it, deleted within a day wait, too: that is a wiped folder, or a disk that went away.',
  ),
  most_percent: count({ usual: 10, least: 0, most: 100 }).describe(
    'The same as a share of the files that the folder has and had. Default 10: in a large folder a hundred files are nothing ' +
      'unusual. With most_files 0 and most_percent 0 everything waits for a person.',
  ),
})
