/** How often a host may be asked, from its published limits with a margin. */
export type Host = { url: string; requestsPer10s: number; concurrency: number }

/** The upstream hosts by name; `config.ts` can point each of them elsewhere. */
export const hosts = {
  polymarket_gamma: { url: 'https://gamma-api.polymarket.com', requestsPer10s: 200, concurrency: 4 },
  polymarket_data: { url: 'https://data-api.polymarket.com', requestsPer10s: 150, concurrency: 8 },
  polymarket_clob: { url: 'https://clob.polymarket.com', requestsPer10s: 500, concurrency: 4 },
} as const satisfies Record<string, Host>

export type HostName = keyof typeof hosts
