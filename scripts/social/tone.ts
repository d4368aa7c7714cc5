import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { decodeWeights, encodeWeights } from '#text/sentiment/weights.ts'

import { evaluate, tableOf } from './tone/evaluate.ts'
import { readLabelSets, readLexiconFile } from './tone/label_sets.ts'
import { parseLexicon } from './tone/lexicon.ts'
import { toExamples } from './tone/train.ts'
import { trainWeights } from './tone/train_weights.ts'

/**
 * `npx tsx scripts/social/tone.ts <folder> [--table]`: trains the model of market tone from the sets of labels below
 * the folder (`scripts/social/tone/label_sets.ts` has their files), writes `text/sentiment/weights.bin` and prints its
 * results on the test splits beside VADER's. With `--table` it only evaluates the file. It takes half a minute.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { table: { type: 'boolean', default: false } },
})
const [folder] = positionals
if (folder === undefined)
  throw new Error('scripts/social/tone.ts: no folder; expected the folder of the sets of labels')

const file = join(resolve(import.meta.dirname, '..', '..'), 'text', 'sentiment', 'weights.bin')
const rows = await readLabelSets(resolve(folder))
if (!values.table) {
  const lexicon = parseLexicon(readLexiconFile(resolve(folder)))
  await writeFile(
    file,
    encodeWeights(
      trainWeights(
        toExamples(
          rows.filter(({ is_test }) => !is_test),
          lexicon,
        ),
        lexicon,
      ),
    ),
  )
}
const bytes = await readFile(file)
const weights = decodeWeights(bytes)
console.log(tableOf(evaluate(rows, weights)))
console.log(`\nversion ${weights.version}, ${bytes.length.toLocaleString('en')} bytes`)
