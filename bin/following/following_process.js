// The entry of the process that follows: each process prepares the loading of TypeScript.
import { setPriority } from 'node:os'

import { loadTypeScript } from '#bin/typescript.js'

// Threads inherit the priority of the thread that starts them, so it is lowered before any is started. Answers of the
// API then wait neither for rows nor for builds.
setPriority(10)
await loadTypeScript()
await import('./run_following.ts')
