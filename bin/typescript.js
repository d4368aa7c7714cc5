import module from 'node:module'

/**
 * Prepares a thread to import TypeScript. Node 22.18 and later strip types themselves, outside `node_modules`; other
 * versions need a hook.
 */
export async function loadTypeScript() {
  const strips = process.features.typescript === 'strip' && !import.meta.url.includes('/node_modules/')
  if (!strips) {
    const { register } = await import('tsx/esm/api')
    register()
  }
  keepCompiled()
}

/** Keeps compiled code between processes, where Node knows how (22.8 and later). */
export function keepCompiled() {
  /** @type {{ enableCompileCache?: () => unknown }} */
  const { enableCompileCache } = module
  enableCompileCache?.()
}
