import { readCsv } from '#web/client/visit.ts'

import { counted } from './moment.tsx'
import { Failure } from './notice.tsx'
import { useAction } from './use_action.ts'

/** Rows are shown in steps; the largest page of the API has so many. */
export const step = 100
const most = 1_000

type ListFootProps = {
  /** The rows of the whole list, and those that are shown. */
  total: number
  n_shown: number
  noun: string
  /** The list without its page, for the CSV. */
  path: string
  showMore: () => void
}

/** Below a list: its size, further rows, and all of it as CSV. */
export function ListFoot({ total, n_shown, noun, path, showMore }: ListFootProps) {
  const { run, isBusy, error } = useAction(async () => save(await readCsv(path), `${noun}s.csv`))
  return (
    <div class="list-foot">
      <span class="soft">
        {n_shown < total ? `${n_shown.toLocaleString('en')} of ${counted(total, noun)}` : counted(total, noun)}
      </span>
      {n_shown < Math.min(total, most) && (
        <button type="button" onClick={showMore}>
          Show more
        </button>
      )}
      <button type="button" aria-disabled={isBusy} onClick={() => void run()}>
        Save as CSV
      </button>
      <Failure message={error} />
    </div>
  )
}

/** Saves a text as a file of the person. */
function save(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
