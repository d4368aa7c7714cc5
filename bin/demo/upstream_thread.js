// The entry of the demo's simulated venue: each thread prepares the loading of TypeScript.
import { loadTypeScript } from '#bin/typescript.js'

await loadTypeScript()
await import('./upstream_world.ts')
