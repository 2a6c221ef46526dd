/*
 * What came to ledger.db with its fourth version.
 *
 * folders.root_identity  what its root was when it was last online (disk/mount.ts): with the device, for a device number is given
 *                        again to the next disk. NULL: not known yet, or its filesystem tells of none.
 * folders.rebuilt_times  how often its watcher was made anew for what scans found against it; `rebuilt_ms`, `rebuilt_reason`: the last
 *                        time. `given_up_times`: how often it was given up for scans alone.
 */
export const fourth = `
ALTER TABLE folders ADD COLUMN root_identity TEXT;
ALTER TABLE folders ADD COLUMN rebuilt_times INTEGER NOT NULL DEFAULT 0;
ALTER TABLE folders ADD COLUMN rebuilt_ms INTEGER;
ALTER TABLE folders ADD COLUMN rebuilt_reason TEXT;
ALTER TABLE folders ADD COLUMN given_up_times INTEGER NOT NULL DEFAULT 0;
`
