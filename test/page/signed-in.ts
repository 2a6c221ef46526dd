import { addUser, Browser, beginPage } from './page-rig.ts'

/** A page with an operator of all folders (ada) and a reader of `docs` (eve). */
export async function beginSignedIn(options: Parameters<typeof beginPage>[0] = {}) {
  const begun = await beginPage(options)
  await addUser(begun.store, {
    name: 'ada',
    role: 'operator',
    folders: 'all',
    password: 'correct horse',
  })
  await addUser(begun.store, {
    name: 'eve',
    role: 'reader',
    folders: ['docs'],
    password: 'correct horse',
  })
  const as = async (name: string) => {
    const browser = new Browser(begun.address)
    await browser.signIn(name, 'correct horse')
    return browser
  }
  return { ...begun, as }
}

export const hostile = `<img src=x onerror=alert(1)> "quote' \u202egpj.exe.txt`

/** Sends the form with this button, as a browser without script does. */
export async function press(browser: Browser, page: string, words: string) {
  const { text } = await browser.get(page)
  const form = [...text.matchAll(/<form class="act".*?<\/form>/gs)]
    .map(([each]) => each)
    .find((each) => each.includes(`>${words}</button>`))
  if (form === undefined) throw new Error(`${page} has no button ${words}`)
  const plain = (value: string) =>
    value
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
  const fields = Object.fromEntries(
    [...form.matchAll(/name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [
      name!,
      plain(value!),
    ]),
  )
  const { status, headers } = await browser.post(/action="([^"]*)"/.exec(form)![1]!, fields)
  return { status, to: headers.get('location') }
}
