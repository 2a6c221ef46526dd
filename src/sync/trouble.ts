/**
 * What is wrong beyond any one file, and what may be tried meanwhile. A fault of the account or a
 * project stops at the first sign; a service or blob store that does not answer after a few
 * failures in a row; uploads when several contents meet the same fault at one step. Then nothing is
 * sent but one probe at a time, later and later, and no file pays an attempt for it.
 */
export type About = 'account' | 'api' | 'blob' | 'uploads' | `project:${string}`

/** Only uploads need it, and they alone use the blob store. */
export function isOfUploads(about: About): boolean {
  return about === 'blob' || about === 'uploads'
}

/** What a person can do about a trouble that rests the calls. */
export function hintFor(about: About): string {
  if (about === 'account')
    return 'Nothing is sent until the token works: renew it where it came from; it is read again by itself'
  if (about === 'api')
    return 'It is tried again by itself; if it lasts, check service.base_url, the network and the proxy'
  if (about === 'blob')
    return 'It is tried again by itself; if it lasts, check that the blob host can be reached from here'
  if (about === 'uploads')
    return 'Several files met this, so none is refused for it; one at a time is tried again by itself. If it lasts, tell the operator of the service'
  return 'Nothing is sent to this project: check project_id in the config, and that the token may use it'
}
