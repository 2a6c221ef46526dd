import { expect, test } from 'vitest'
import { repeatsDevice } from '../../../src/disk/root/filesystems.ts'
import { type KnownFolder, type RootTrust, trustInRoot } from '../../../src/disk/root/root.ts'
import { isSameRoot, likeness, withKnownId } from '../../../src/domain/root-identity.ts'

test.each<[string | undefined, string | undefined, boolean]>([
  ['2@1700000000000000000', '2@1700000000000000000', true],
  ['2@1700000000000000000', '2@1700000001000000000', false],
  ['2@1700000000000000000', '3@1700000000000000000', false],
  ['2@1700000000000000000', '2@', true],
  ['2@', '3@', false],
  ['32 bytes', '64 bytes', false],
  [undefined, '2@1', true],
])('root %s, then %s: the same root %s', (before, after, is_same) =>
  expect(isSameRoot(before, after)).toBe(is_same),
)

test.each<[string | undefined, string | undefined, ReturnType<typeof likeness>]>([
  ['2@1#ab', '2@1#ab', 'same'],
  ['2@1#ab', '2@#ab', 'same'],
  ['2@1#ab', '9@1#ab', 'unsaid'],
  ['2@1#ab', '2@2#ab', 'unsaid'],
  ['2@1#ab', '2@1#cd', 'other'],
  ['1@#ab~', '1@#cd~', 'unsaid'],
  ['1@#ab~', '1@#ab~', 'same'],
  ['2@1', '2@1', 'unsaid'],
  ['2@1', '2@1#ab', 'unsaid'],
  ['32 bytes@', '32 bytes@', 'unsaid'],
  [undefined, '2@1#ab', 'unsaid'],
])('root %s came back as %s: %s', (known, now, expected) =>
  expect(likeness(known, now)).toBe(expected),
)

test.each([
  ['1500000000', 0x15n, true],
  ['15', 0x15n, true],
  ['0', 7n, true],
  ['ddd07c3b76fa17a3', 65_024n, false],
])('an id %s on device %s repeats it: %s', (id, device, repeats) =>
  expect(repeatsDevice(id, device)).toBe(repeats),
)

test.each<[known: string | undefined, now: string | undefined, kept: string | undefined]>([
  ['2@1#ab', '2@1', '2@1#ab'],
  ['2@1#ab', '5@1', '5@1'],
  ['2@1#ab', '2@1#cd', '2@1#cd'],
  ['2@1', '2@1#cd', '2@1#cd'],
  [undefined, '2@1', '2@1'],
])('root %s, found as %s, is remembered as %s', (known, now, kept) =>
  expect(withKnownId(known, now)).toBe(kept),
)

const known: KnownFolder = {
  device: 7n,
  identity: '2@1#ab',
  online: true,
  is_first_check: false,
  is_moved: false,
  evidence: 8,
}
const same = { device: 7n, identity: '2@1#ab' }

test.each<
  [what: string, Partial<KnownFolder>, now: Partial<typeof same>, held_many: boolean, RootTrust]
>([
  ['nothing changed', {}, {}, false, 'trusted'],
  ['never online before', { device: undefined, online: false }, {}, false, 'trusted'],
  ['the same disk is back', { online: false }, {}, false, 'trusted'],
  [
    'the same disk is back, under another number',
    { online: false },
    { device: 9n },
    false,
    'trusted',
  ],
  ['the same disk is back, and many files are known', { online: false }, {}, true, 'check_loss'],
  ['another disk is back', { online: false }, { identity: '2@1#cd' }, false, 'other_disk'],
  ['another disk without a moment offline', {}, { identity: '2@1#cd' }, false, 'other_disk'],
  ['another directory of the same disk', {}, { identity: '5@1#ab' }, false, 'compare'],
  [
    'a disk without an id is back',
    { online: false, identity: '2@1' },
    { identity: '2@1' },
    false,
    'compare',
  ],
  ['a disk without an id stayed', { identity: '2@1' }, { identity: '2@1' }, false, 'trusted'],
  [
    'a disk without an id, after a start',
    { identity: '32 bytes@', is_first_check: true },
    { identity: '32 bytes@' },
    false,
    'compare',
  ],
  ['the same disk after a start', { is_first_check: true }, {}, true, 'trusted'],
  ['another disk, and nothing is known', { evidence: 0 }, { identity: '2@1#cd' }, false, 'trusted'],
  [
    'another place by the configuration',
    { is_moved: true },
    { identity: '2@1#cd' },
    false,
    'trusted',
  ],
  [
    'another place, and many files are known',
    { is_moved: true },
    { identity: '2@1#cd' },
    true,
    'compare',
  ],
])('%s', (_what, change, now, held_many, expected) => {
  expect(trustInRoot({ ...known, ...change }, { ...same, ...now }, held_many)).toBe(expected)
})
