import module from 'node:module'

/**
 * Prepares a thread to import TypeScript. Node 22.18 and later strip types themselves, outside `node_modules`; other
 * versions need a hook. Compiled code is kept between processes, where Node knows how (22.8 and later).
 */
export async function loadTypeScript() {
  const strips = process.features.typescript === 'strip' && !import.meta.url.includes('/node_modules/')
  if (!strips) {
    const { register } = await import('tsx/esm/api')
    register()
  }
  /** @type {{ enableCompileCache?: () => unknown }} */
  const { enableCompileCache } = module
  enableCompileCache?.()
}
