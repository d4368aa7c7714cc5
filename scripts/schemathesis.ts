import { makeEnvironment } from './python/environment.ts'
import { findSchemathesis, folder, version } from './schemathesis/find.ts'

/**
 * `npx tsx scripts/schemathesis.ts`: installs schemathesis, which makes requests from the OpenAPI description, for the
 * tests that attack the API. It is a Python package; the machine needs `python3` with `venv`.
 */
async function install(): Promise<string> {
  const found = await findSchemathesis()
  if (found !== undefined) return found
  await makeEnvironment(folder, [`schemathesis==${version}`])
  const installed = await findSchemathesis()
  if (installed === undefined)
    throw new Error(`${folder}: no schemathesis after its installation; expected the command`)
  return installed
}

console.log(await install())
