import { shortAddress } from '#web/ui/figure.tsx'

type AddressProps = { address: string; chain?: string; href?: string }

/** An address, shortened; its title and its copy have all of it. */
export function Address({ address, chain, href }: AddressProps) {
  const text = <code title={address}>{shortAddress(address)}</code>
  return (
    <span class="address">
      {href === undefined ? text : <a href={href}>{text}</a>}
      {chain !== undefined && <span class="soft"> {chain}</span>}
    </span>
  )
}

/** The page of a trader, a wallet, or a market. */
export const traderHref = (address: string): string => `trader?address=${address}`
export const walletHref = (address: string, chain: string): string => `wallet?address=${address}&chain=${chain}`
export const marketHref = (id: string): string => `market?id=${encodeURIComponent(id)}`
