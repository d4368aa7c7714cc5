/** A data file that compaction may read. */
export type Candidate = {
  data_file_id: number
  path: string
  first_unit: string
  n_rows: number
  bytes: number
  /** The deleted rows of `n_rows`. */
  n_deleted: number
}

/** A file of this size is not merged again, unless many of its rows are deleted. */
export const targetBytes = 64 * 2 ** 20
/** A merge opens so many files at most. */
const maxFiles = 1_500
/** A merge has so many files at least. */
const minFiles = 8
/** A file with a larger share of deleted rows is rewritten. */
const usualDeletedShare = 0.25

/**
 * The merges of the files of one source in one dataset. Of the files below the target size these are the smallest, up
 * to one that is no larger than all before it together. The size of a row's file so doubles each time, and a row is
 * written O(log n) times. Each merge takes neighbours in the order of units, so that a question about one key opens few
 * files. Files with a larger share of deleted rows than `maxDeletedShare` are rewritten.
 */
export function mergesOf(candidates: readonly Candidate[], maxDeletedShare = usualDeletedShare): Candidate[][] {
  const isPruned = ({ n_rows, n_deleted }: Candidate): boolean => n_deleted > n_rows * maxDeletedShare
  const small = candidates
    .filter((file) => file.bytes < targetBytes && !isPruned(file))
    .toSorted((a, b) => liveBytes(a) - liveBytes(b) || (a.first_unit < b.first_unit ? -1 : 1))
  let bytes = 0
  let n_chosen = 0
  for (const [index, file] of small.entries()) {
    if (index + 1 >= minFiles && liveBytes(file) <= bytes) n_chosen = index + 1
    bytes += liveBytes(file)
  }
  const chosen = [...small.slice(0, n_chosen), ...candidates.filter(isPruned)]
  return neighbours(chosen.toSorted((a, b) => (a.first_unit < b.first_unit ? -1 : 1)))
}

const liveBytes = ({ bytes, n_rows, n_deleted }: Candidate): number =>
  n_rows === 0 ? bytes : (bytes * (n_rows - n_deleted)) / n_rows

/** Divides files into merges that exceed the target size, so that their result is final. The last one is smaller. */
function neighbours(files: readonly Candidate[]): Candidate[][] {
  const merges: Candidate[][] = []
  let merge: Candidate[] = []
  let bytes = 0
  for (const file of files) {
    merge.push(file)
    bytes += liveBytes(file)
    // Merged rows compress better than those of small files.
    if (bytes < 1.5 * targetBytes && merge.length < maxFiles) continue
    merges.push(merge)
    merge = []
    bytes = 0
  }
  return [...merges, merge].filter(([first, second]) => second !== undefined || (first?.n_deleted ?? 0) > 0)
}
