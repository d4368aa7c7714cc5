type NoEntityProps = { address: string; noun: string; other: { href: string; text: string } }

/** In place of the figures of an address that has none. */
export function NoEntity({ address, noun, other }: NoEntityProps) {
  return (
    <div class="empty">
      {address === '' ? (
        <p>This page needs an address: enter one in the search above.</p>
      ) : (
        <p>
          No {noun} of this address is stored. See it as a <a href={`${other.href}?address=${address}`}>{other.text}</a>
          , or watch it in a <a href={`watchlists?type=wallets&items=${address}`}>watchlist</a>: it is then read.
        </p>
      )}
    </div>
  )
}
