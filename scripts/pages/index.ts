import { apiPage } from './api.ts'
import { chainsPage } from './chains.ts'
import { columnsPage } from './columns.ts'
import { datasetsPage } from './datasets.ts'
import { metricsPage } from './metrics.ts'
import { runningPage } from './settings.ts'
import { sourcesPage } from './sources.ts'

/**
 * The pages of `docs/` that are rendered from the code, by file name. Only the table of settings of running.md is
 * rendered.
 */
export const pages = async (): Promise<Record<string, string>> => ({
  'api.md': apiPage(),
  'chains.md': chainsPage(),
  'columns.md': columnsPage(),
  'datasets.md': datasetsPage(),
  'metrics.md': await metricsPage(),
  'running.md': await runningPage(),
  'sources.md': sourcesPage(),
})
