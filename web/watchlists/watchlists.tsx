import { useRef } from 'preact/hooks'

import { deleteWatchlist, listWatchlists, type Watchlist } from '#web/client/watchlists.ts'
import { Confirm } from '#web/ui/confirm.tsx'
import { Frame } from '#web/ui/frame.tsx'
import { counted, Moment } from '#web/ui/moment.tsx'
import { Failure } from '#web/ui/notice.tsx'
import { useLoad } from '#web/ui/use_load.ts'

import { WatchlistForm } from './watchlist_form.tsx'

/** The page `/watchlists`. */
export function Watchlists() {
  const { data: watchlists, error, reload } = useLoad(listWatchlists)
  const heading = useRef<HTMLHeadingElement>(null)
  const remove = async ({ id }: Watchlist): Promise<void> => {
    await deleteWatchlist(id)
    await reload()
  }
  return (
    <Frame title="Watchlists">
      <Failure message={error} />
      {watchlists !== null && (
        <>
          <section aria-labelledby="own">
            <h2 id="own" ref={heading} tabIndex={-1}>
              Your watchlists
            </h2>
            {watchlists.length === 0 && <p>You have no watchlist yet.</p>}
            <ul class="cards">
              {watchlists.map((watchlist) => (
                <WatchlistCard
                  key={watchlist.id}
                  watchlist={watchlist}
                  remove={() => remove(watchlist)}
                  removed={() => heading.current?.focus()}
                />
              ))}
            </ul>
          </section>
          <section aria-labelledby="new">
            <h2 id="new">New watchlist</h2>
            <WatchlistForm reload={reload} />
          </section>
        </>
      )}
    </Frame>
  )
}

type WatchlistCardProps = { watchlist: Watchlist; remove: () => Promise<void>; removed: () => void }

function WatchlistCard({ watchlist: { name, type, items, created_at }, remove, removed }: WatchlistCardProps) {
  return (
    <li>
      <h3>{name}</h3>
      <p class="hint">
        {counted(items.length, 'item')} of the type {type}, created <Moment at={created_at} />
      </p>
      <details>
        <summary>Items of {name}</summary>
        <ul class="items">
          {items.map((item) => (
            <li key={item}>
              <code>{item}</code>
            </li>
          ))}
        </ul>
      </details>
      <div class="actions">
        <Confirm label="Delete" subject={name} question={`Delete ${name}?`} act={remove} done={removed} />
      </div>
    </li>
  )
}
