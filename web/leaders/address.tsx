import { shortAddress } from '#web/ui/figure.tsx'

/** An address, shortened; its title and its copy have all of it. */
export function Address({ address, chain }: { address: string; chain?: string }) {
  return (
    <span class="address">
      <code title={address}>{shortAddress(address)}</code>
      {chain !== undefined && <span class="soft"> {chain}</span>}
    </span>
  )
}
