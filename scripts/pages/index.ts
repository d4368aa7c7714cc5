import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'

import { apiPage } from './api.ts'
import { datasetsPage } from './datasets.ts'
import { metricsPage } from './metrics.ts'
import { withSettings } from './settings.ts'
import { sourcesPage } from './sources.ts'

const running = resolve(import.meta.dirname, '..', '..', 'docs', 'running.md')

/** The pages of `docs/` that are rendered from the code, by file name; of running.md, the table of settings. */
export const pages = async (): Promise<Record<string, string>> => ({
  'api.md': apiPage(),
  'datasets.md': datasetsPage(),
  'metrics.md': await metricsPage(),
  'running.md': withSettings(await readFile(running, 'utf8')),
  'sources.md': sourcesPage(),
})
