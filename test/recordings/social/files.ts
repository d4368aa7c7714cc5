import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

import { openRecordings } from '#test/recordings/folder.ts'

/** The recordings of social platforms. */
const { folder, isRecorded } = openRecordings('social')
export { isRecorded }

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
