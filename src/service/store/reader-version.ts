/**
 * The version of all readers of files. Raise it in each release whose readers find other words in a
 * file, or judge differently how much of it they saw: files that an earlier version read are then
 * read again. 0 is the version of files that were read before `reading` was recorded.
 */
export const reader_version = 3
