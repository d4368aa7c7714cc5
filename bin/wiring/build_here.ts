import { createBuild, type Build, type BuildTools } from '#activities/build.ts'

type Models = Pick<BuildTools, 'models' | 'macros' | 'columns'>

/**
 * Builds in this process. The models are loaded at the first build, since most processes that could build read sources
 * alone.
 */
export function buildHere(tools: Omit<BuildTools, keyof Models>): Build {
  let models: Promise<Models> | undefined
  return async (request, cancelled) => {
    models ??= loadModels()
    return createBuild({ ...tools, ...(await models) })(request, cancelled)
  }
}

/** All models, and what explains their tables. */
export async function loadModels(): Promise<Models> {
  const [{ loadExplain, loadScoring }, { columns }] = await Promise.all([
    import('#scoring/index.ts'),
    import('#scoring/columns/columns.ts'),
  ])
  return { models: await loadScoring(), macros: await loadExplain(), columns }
}
