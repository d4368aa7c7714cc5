const { typescript } = process.features as { typescript?: unknown }

/** The options of Node that let a process run TypeScript. Node 22.18 and later strip types themselves, in half of the time. */
export const loader: readonly string[] = typescript === 'strip' ? [] : ['--import', 'tsx/esm']
