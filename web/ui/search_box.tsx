/** A search from every page: the words of a market's question. */
export function SearchBox() {
  const words = new URLSearchParams(location.search).get('words') ?? ''
  return (
    <form class="search" role="search" action="markets" method="get">
      <input
        type="search"
        name="words"
        aria-label="Search markets"
        placeholder="Search markets"
        defaultValue={words}
        maxLength={100}
      />
    </form>
  )
}
