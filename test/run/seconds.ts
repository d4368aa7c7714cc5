/** A test file that has run. */
export type Ran = { path: string; seconds: number; n_tests: number }

/** A line for each folder of tests, with the seconds of its files, which may have run side by side. */
export function secondsByFolder(files: readonly Ran[]): string[] {
  const folders = new Map<string, { seconds: number; n_tests: number }>()
  for (const { path, seconds, n_tests } of files) {
    const folder = path.split('/').slice(0, 2).join('/')
    const sum = folders.get(folder) ?? { seconds: 0, n_tests: 0 }
    folders.set(folder, { seconds: sum.seconds + seconds, n_tests: sum.n_tests + n_tests })
  }
  return [...folders]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([folder, { seconds, n_tests }]) => `${seconds.toFixed(1).padStart(7)} s  ${folder}, ${n_tests} tests`)
}
