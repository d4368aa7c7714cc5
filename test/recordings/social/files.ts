import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** The recordings of social platforms, which are not part of the repository. */
const folder = join(resolve(process.env['RECORDINGS_DIR'] ?? '../shared/recordings'), 'social')
export const isRecorded = existsSync(folder)
if (!isRecorded) console.warn(`skipped: ${folder} is missing; RECORDINGS_DIR names the recordings`)

/** The text of a recorded file. */
export function recorded(path: string): string {
  const body = readFileSync(join(folder, path))
  return (path.endsWith('.gz') ? gunzipSync(body) : body).toString('utf8')
}

/** The lines of a recorded file, without empty ones. */
export const recordedLines = (path: string): string[] =>
  recorded(path)
    .split('\n')
    .filter((line) => line.trim() !== '')
