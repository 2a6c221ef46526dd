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
  showTimes(document)
})
