/** The way to the transaction of a trade at the explorer of its chain. */
export function TxLink({ url }: { url: string | null }) {
  if (url === null) return <span class="soft">–</span>
  return (
    <a href={url} rel="noreferrer" target="_blank" title={url}>
      transaction
    </a>
  )
}
