import { describe, expect, test } from 'vitest'
import { type Access, narrowerBecause } from '../../../src/disk/scan/ignore-file.ts'

const [ada, bob, root] = [1001, 1002, 0]
const [staff, hr] = [50, 60]

/** `0755 ada staff` */
function access(text: string): Access {
  const [mode = '', user = '', group = ''] = text.split(' ')
  return {
    mode: Number.parseInt(mode, 8),
    uid: { ada, bob, root }[user]!,
    gid: { staff, hr }[group]!,
  }
}

const others = 'it is closed to others'
const own_group = 'it is closed to its group'
const folder_group = 'it is closed to the group of the folder'
const other_group = 'it belongs to another group'
const other_user = 'it belongs to another user'

describe('a subfolder compared with its folder', () => {
  test.each([
    // Every user can read this folder.
    ['0755 ada staff', '0755 ada staff', undefined],
    ['0755 ada staff', '0755 bob hr', undefined],
    ['0755 ada staff', '2775 bob hr', undefined],
    ['0755 ada staff', '0750 ada staff', others],
    ['0755 ada staff', '0700 ada staff', others],
    ['0755 ada staff', '0711 ada staff', others],
    ['0755 ada staff', '0754 ada staff', others],
    ['0755 ada staff', '0000 ada staff', others],
    ['0755 ada staff', '0705 ada hr', own_group],
    ['1777 root staff', '0700 ada staff', others],
    // One group can read this folder.
    ['0770 ada staff', '0770 ada staff', undefined],
    ['0770 ada staff', '0750 bob staff', undefined],
    ['0750 ada staff', '2755 bob staff', undefined],
    ['0770 ada staff', '0700 ada staff', folder_group],
    ['0770 ada staff', '0740 ada staff', folder_group],
    ['0770 ada staff', '0705 ada staff', folder_group],
    ['0770 ada staff', '0770 ada hr', other_group],
    ['0770 ada staff', '0775 ada hr', undefined],
    ['0770 root staff', '0700 root staff', folder_group],
    // One user can read this folder.
    ['0700 ada staff', '0700 ada staff', undefined],
    ['0700 ada staff', '0755 ada hr', undefined],
    ['0700 ada staff', '0700 bob staff', other_user],
    ['0700 ada staff', '0750 bob hr', other_user],
    ['0700 ada staff', '0750 bob staff', undefined],
    ['0700 ada staff', '0755 bob hr', undefined],
    ['0700 root staff', '0700 bob hr', undefined],
    // Files in it can be opened by name, but it cannot be listed: it counts as closed.
    ['0711 ada staff', '0700 ada staff', undefined],
  ])('%s holds %s: %s', (folder, directory, why) => {
    expect(narrowerBecause(access(directory), access(folder))).toBe(why)
  })

  test('the folder itself is never narrower than itself, whatever its mode', () => {
    for (let mode = 0; mode <= 0o777; mode++) {
      const folder = { mode, uid: ada, gid: staff }
      expect(narrowerBecause(folder, folder)).toBe(undefined)
    }
  })
})
