// Times in the reader's zone, and a red bar while a refresh fails. The page works without it.
const zoned = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

function showTimes(root) {
  for (const time of root.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime)
    if (Number.isNaN(at.getTime())) continue
    time.textContent = zoned.format(at)
    time.title = time.dateTime
  }
}

function showAsOf(date) {
  document.getElementById('as-of').textContent = clock.format(date)
}

function lost(is_lost) {
  document.getElementById('lost').hidden = !is_lost
}

// A refresh must not take the focus away from who uses the keyboard.
function focusKey(element) {
  const fields = element.form
    ? [...new FormData(element.form)].filter(([name]) => name !== '_csrf')
    : []
  return JSON.stringify([element.href, element.name, element.textContent, fields])
}
let focus_key
document.addEventListener('htmx:beforeSwap', () => {
  const element = document.activeElement
  focus_key = element?.closest('#live') ? focusKey(element) : undefined
})
// Before the next frame: the focus must never be nowhere, and a key names times as shown.
document.addEventListener('htmx:afterSwap', () => {
  showTimes(document)
  if (focus_key === undefined) return
  const same = [...document.querySelectorAll('#live :is(a, button, input, select)')]
  same.find((element) => focusKey(element) === focus_key)?.focus({ preventScroll: true })
})

// The server counts days, so it must know the zone.
// biome-ignore lint/suspicious/noDocumentCookie: the other way works over HTTPS only
document.cookie = `sluice_zone=${zoned.resolvedOptions().timeZone}; path=${document.querySelector('.brand').pathname}; max-age=31536000; samesite=strict${location.protocol === 'https:' ? '; secure' : ''}`

showTimes(document)
showAsOf(new Date(document.querySelector('#as-of time')?.dateTime ?? Date.now()))
for (const failure of ['htmx:responseError', 'htmx:sendError', 'htmx:timeout', 'htmx:swapError'])
  document.addEventListener(failure, () => lost(true))
document.addEventListener('htmx:afterOnLoad', ({ detail }) => {
  // Only a successful answer has the part to show. The date is also right when nothing changed.
  if (!detail.successful) return
  lost(false)
  const date = new Date(detail.xhr.getResponseHeader('date') ?? Date.now())
  showAsOf(date)
})
