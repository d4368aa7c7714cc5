import { useId, useState } from 'preact/hooks'

import { createWatchlist, watchlistTypes, type NewWatchlist } from '#web/client/watchlists.ts'
import { Field } from '#web/ui/field.tsx'
import { Form, type FieldValues } from '#web/ui/form.tsx'
import { Status } from '#web/ui/notice.tsx'

/** The items of each type, with an example. */
const hints: Record<NewWatchlist['type'], string> = {
  wallets: 'Addresses, such as 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  assets: 'Symbols, such as BTC',
  markets: 'Market ids, as lists of markets show them',
}

/** A link to this page may name what to watch. */
const asked = new URLSearchParams(location.search)
const firstType: NewWatchlist['type'] = watchlistTypes.find((type) => type === asked.get('type')) ?? 'wallets'

/** Creates a watchlist. */
export function WatchlistForm({ reload }: { reload: () => Promise<void> }) {
  const id = useId()
  const [type, setType] = useState(firstType)
  const [created, setCreated] = useState<string | null>(null)
  const submit = async (fields: FieldValues): Promise<void> => {
    const { name } = await createWatchlist({ name: fields('name'), type, items: linesOf(fields('items')) })
    setCreated(name)
    // The form is reset to this one.
    setType(firstType)
    await reload()
  }
  return (
    <>
      <Form label="Create the watchlist" isRepeated submit={submit}>
        <Field name="name" label="Name" maxLength={100} required />
        <div class="field">
          <label for={`${id}-type`}>Type</label>
          <select
            id={`${id}-type`}
            value={type}
            onChange={({ currentTarget: { value } }) =>
              setType(watchlistTypes.find((candidate) => candidate === value) ?? type)
            }
          >
            {watchlistTypes.map((watchlistType) => (
              <option key={watchlistType}>{watchlistType}</option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for={`${id}-items`}>Items</label>
          <textarea
            id={`${id}-items`}
            name="items"
            rows={5}
            aria-describedby={`${id}-hint`}
            defaultValue={asked.get('items') ?? ''}
            required
          />
          <p id={`${id}-hint`} class="hint">
            {hints[type]}. One a line.
          </p>
        </div>
      </Form>
      <Status>{created !== null && <p>Created: {created}</p>}</Status>
    </>
  )
}

/** The lines of a text that are not empty. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
