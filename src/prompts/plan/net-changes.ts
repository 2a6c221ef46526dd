import { listOf } from '../../base/run/group.ts'
import type { Change } from '../../domain/run.ts'

/** What a reader of a report must know about one file after a period. */
export interface NetChange extends Omit<Change, 'is_there'> {
  /** `changed`: it may also have moved. */
  kind: 'changed' | 'gone' | 'moved'
  /** FOLDER/PATH. */
  name: string
  /** Where a moved file was, as FOLDER/PATH. */
  from?: string
}

interface Course extends Change {
  name: string
  /** First content that it held in the period, and the last one. */
  first: number | undefined
  last: number | undefined
}

/**
 * The net changes of a period, from its changes in their order. A file that came and went again, or
 * that is back as it was, did not change. A file moved if one with the bytes that it held last came
 * elsewhere in the period. New files are not listed. Pure.
 */
export function netChanges(changes: Iterable<Change>): NetChange[] {
  const courses = [...coursesOf(changes).values()]
  const came = new Map<number, Course[]>()
  for (const course of courses) {
    if (course.was === undefined && course.content !== undefined)
      listOf(came, course.first!).push(course)
  }
  return courses.flatMap((course) => {
    const { was, content, is_there, last } = course
    if (was === undefined || was === content) return []
    if (content !== undefined) return [netOf('changed', course)]
    if (is_there) return []
    const to = came.get(last!)?.shift()
    if (to === undefined) return [netOf('gone', course)]
    const kind = to.content === was ? 'moved' : 'changed'
    return [{ ...netOf(kind, { ...to, was }), from: course.name }]
  })
}

function coursesOf(changes: Iterable<Change>): Map<string, Course> {
  const courses = new Map<string, Course>()
  for (const change of changes) {
    const { folder, path, was, content, is_there = false, is_known = false } = change
    const name = `${folder}/${path}`
    const before = courses.get(name) ?? { was, first: content, last: was }
    const first = before.first ?? content
    const last = content ?? before.last
    const course = { folder, path, name, was: before.was, content, is_there, is_known, first, last }
    courses.set(name, course)
  }
  return courses
}

function netOf(kind: NetChange['kind'], course: Course): NetChange {
  const { folder, path, name, was, content, is_known } = course
  return { kind, folder, path, name, was, content, is_known }
}
