import type { HttpApp } from '../base/net/http-server-app.ts'
import type { PageTools } from './page-tools.ts'
import { serveAbout } from './screens/about.ts'
import { serveActs } from './screens/acts.ts'
import { serveAsk } from './screens/ask.ts'
import { serveFeed } from './screens/feed.ts'
import { serveFile } from './screens/file.ts'
import { serveFiles } from './screens/files.ts'
import { serveFind } from './screens/find.ts'
import { serveOverview } from './screens/overview.ts'
import { serveProblems } from './screens/problems.ts'
import { servePrompts } from './screens/prompts.ts'
import { serveRuns } from './screens/runs.ts'
import { serveSignIn } from './screens/sign-in.ts'

/** Every screen of the page; a new one gets a line here. */
export const screens: readonly ((app: HttpApp, tools: PageTools) => void)[] = [
  serveSignIn,
  serveOverview,
  serveFiles,
  serveFile,
  serveFind,
  serveProblems,
  serveAsk,
  servePrompts,
  serveRuns,
  serveFeed,
  serveActs,
  serveAbout,
]
