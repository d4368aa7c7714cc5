// The entry of the demo's simulated chains: each thread needs its own hook to load TypeScript.
import { register } from 'tsx/esm/api'

register()
await import('./chains_world.ts')
