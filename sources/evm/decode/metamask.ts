import type { Protocol } from './event/decoder.ts'

/** The router of MetaMask. Its event proves a swap without its amounts. */
export const metamask: Protocol = [
  {
    event: 'event Swap(string indexed aggregatorId, address indexed sender)',
    family: 'metamask',
    map: { sender: 'sender' },
  },
]
