import { access } from 'node:fs/promises'
import { join } from 'node:path'

/** The npm packages that read an OpenAPI description: a linter, and a generator of TypeScript types with its client. */
export const packages = ['@redocly/cli@2.11.1', 'openapi-typescript@7.10.1', 'openapi-fetch@0.15.0']

/** The Python package that generates a client. */
export const pythonPackage = 'openapi-python-client==0.29.1'

/** The folder into which `npx tsx scripts/openapi_tools/install.ts` installs them. */
export const folder = join(import.meta.dirname, '..', '..', 'node_modules', '.openapi-tools')

/** The folders of the commands: those of npm, and those of the Python environment. */
export type OpenApiTools = { npm: string; python: string }

/** The installed tools; undefined if they are missing. */
export async function findOpenApiTools(): Promise<OpenApiTools | undefined> {
  const tools = { npm: join(folder, 'node_modules', '.bin'), python: join(folder, 'python', 'bin') }
  const commands = [join(tools.npm, 'redocly'), join(tools.python, 'openapi-python-client')]
  const isThere = await Promise.all(commands.map((file) => access(file).then(always, never)))
  return isThere.every(Boolean) ? tools : undefined
}

const always = (): boolean => true
const never = (): boolean => false
