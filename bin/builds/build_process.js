// The entry of the process that builds: each process prepares the loading of TypeScript.
import { loadTypeScript } from '#bin/typescript.js'

await loadTypeScript()
await import('./serve_builds.ts')
