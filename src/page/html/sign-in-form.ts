import { html } from './html.ts'
import type { Screen } from './layout.ts'

/** The form for name and password. `next`: path that it leads to. */
export function signInScreen(
  { base_path }: { base_path: string },
  next: string,
  wrong?: string,
): Screen {
  return {
    title: 'Sign in',
    status: wrong === undefined ? 401 : 403,
    top: html`${wrong !== undefined && html`<p class="bad" role="alert">${wrong}</p>`}
<form method="post" action="${base_path}/sign-in" class="line"><input type="hidden" name="next" value="${next}">
<label>Name <input name="name" autocomplete="username" required autofocus></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>Sign in</button></form>
<p class="soft">No password yet? Ask your administrator. (On the machine itself, <code>sluice page</code> prints a link that needs none.)</p>`,
  }
}
