import { z } from 'zod'

/** What a run of the tests leaves in the file that `TEST_REPORT` names. */
export const reportShape = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      project: z.string(),
      /** Wall-clock seconds, with the imports. */
      seconds: z.number(),
      /** CPU seconds of the file and its processes. */
      cpu_s: z.number(),
      /** Errors outside of the tests: a file that does not load, a set-up that fails. */
      errors: z.array(z.string()),
      tests: z.array(
        z.object({ name: z.string(), state: z.enum(['passed', 'failed', 'skipped']), errors: z.array(z.string()) }),
      ),
    }),
  ),
  /** Errors outside of the files. */
  errors: z.array(z.string()),
  /** Why tests were skipped, and what the run left out. */
  leftOut: z.array(z.string()),
})

/** A report of a run. */
export type Report = z.output<typeof reportShape>

/** A test file of a report. */
export type RanFile = Report['files'][number]

/** A line for each folder of tests, with the summed CPU seconds of its files. */
export function secondsByFolder(files: readonly RanFile[]): string[] {
  const folderOf = ({ path }: RanFile): string => path.split('/').slice(0, 2).join('/')
  const folders = [...new Set(files.map(folderOf))].toSorted()
  return folders.map((folder) =>
    secondsOf(
      folder,
      files.filter((file) => folderOf(file) === folder),
    ),
  )
}

/** A line for each of the files that took most CPU seconds, the first of them first. */
export const secondsOfMost = (files: readonly RanFile[], n: number): string[] =>
  files
    .toSorted((a, b) => b.cpu_s - a.cpu_s)
    .slice(0, n)
    .map((file) => secondsOf(file.path, [file]))

/** A line with the CPU seconds of some files. */
export function secondsOf(name: string, files: readonly RanFile[]): string {
  const cpu_s = files.reduce((sum, file) => sum + file.cpu_s, 0)
  const n_tests = files.reduce((sum, { tests }) => sum + tests.length, 0)
  return `${cpu_s.toFixed(1).padStart(7)} CPU s  ${name}, ${n_tests} tests`
}
