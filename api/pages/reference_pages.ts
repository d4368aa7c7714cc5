import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { ApiError } from '#api/contract/errors.ts'

import type { Handler } from './web_pages.ts'

const names = ['columns', 'datasets', 'metrics']

/**
 * The routes of the references of tables, `/docs/columns.md` and so on, from the folder to which `npm run docs` renders
 * them. A reference is read when it is asked for, so that the service also starts without it.
 */
export const referencePages = (folder: string): Record<string, Handler> =>
  Object.fromEntries(names.map((name) => [`/docs/${name}.md`, reference(folder, name)]))

const reference =
  (folder: string, name: string): Handler =>
  async (_req, res) => {
    const markdown = await readFile(join(folder, `${name}.md`)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      throw new ApiError('not_found', `docs/${name}.md: not rendered; expected \`npm run docs\` to have rendered it.`)
    })
    res.type('text/markdown').send(markdown)
  }
