import { apiPage } from './api.ts'
import { chainsPage } from './chains.ts'
import { columnsPage } from './columns.ts'
import { datasetsPage } from './datasets.ts'
import { metricsPage } from './metrics.ts'
import { referencePage } from './reference.ts'
import { runningPage } from './settings.ts'
import { sourcesPage } from './sources.ts'

/** The pages of `docs/` in git that are rendered, by file name. Of running.md and reference.md, parts are rendered. */
export const pages = async (): Promise<Record<string, string>> => ({
  'api.md': apiPage(),
  'chains.md': chainsPage(),
  'reference.md': await referencePage(),
  'running.md': await runningPage(),
  'sources.md': sourcesPage(),
})

/** The references, which are not in git: `npm ci` renders them, and the service shows them. */
export const references = async (): Promise<Record<string, string>> => ({
  'columns.md': await columnsPage(),
  'datasets.md': datasetsPage(),
  'metrics.md': await metricsPage(),
})
