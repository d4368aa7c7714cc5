// The entry of the demo's simulated chains: each thread prepares the loading of TypeScript.
import { loadTypeScript } from '#bin/typescript.js'

await loadTypeScript()
await import('./chains_world.ts')
