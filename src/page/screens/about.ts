import type { HttpApp } from '../../base/net/http-server-app.ts'
import { programVersion } from '../../base/run/process.ts'
import { configAsYaml } from '../../config/resolve/effective.ts'
import { html } from '../html/html.ts'
import type { PageTools } from '../page-tools.ts'
import { get } from '../screen.ts'

/** The version. Operators of all folders also see the configuration, with masked secrets. */
export function serveAbout(app: HttpApp, tools: PageTools): void {
  get(app, tools, '/about', async ({ viewer }) => {
    const may_know = viewer.role === 'operator' && viewer.folders === 'all'
    const top = html`<p>This is Sluice ${programVersion()}. It gets every new file of its folders into an assistant's project.</p>
${may_know && html`<h2>Configuration in force</h2><pre>${configAsYaml(tools.config)}</pre>`}`
    return { title: 'About', top }
  })
}
