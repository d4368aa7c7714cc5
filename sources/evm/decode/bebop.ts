import type { Protocol } from './event/decoder.ts'

/** Bebop: signed orders. Its event proves a swap without its amounts. */
export const bebop: Protocol = [{ event: 'event BebopOrder(uint128 indexed eventId)', family: 'bebop', map: {} }]
