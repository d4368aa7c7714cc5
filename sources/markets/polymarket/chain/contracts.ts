import { polymarket } from '#registry/venues/polymarket.ts'

/** The contracts of Polymarket on Polygon that its logs come from or move shares through. Lower case. */
export const contracts = {
  ctf: '0x4d97dcd97ec945f40cf65f87097ace5ea0476045',
  positionManager: '0x006f54f7f9a22e0000cc2ab60031000000ae9fef',
  negRiskAdapter: '0xd91e80cf2e7be2e162c6513ced06f1dd0da35296',
  usdce: '0x2791bca1f2de4661ed88a30c99a7a9449aa84174',
  pusd: '0xc011a7e12a19f7b1f670d46f03b03f3342e82dfb',
  wrappedCollateral: '0x3a3bd7bb9528e159577f7c2e685cc81a765002e2',
  ammFactory: '0x8b9805a2f595b6705e74f7310829f2d299d21522',
  proxyFactory: '0xab45c5a4b0c941a2f231c04c3f49182e1a254052',
  safeFactory: '0xaacfeea03eb1561c4e67d661e40682bd20e3541b',
  relayHub: '0xd216153c06e857cd7f72665e0af1d7d82172f494',
  rewardsPayer: '0xdd8db71ce3be8d71ff148b2163d64da181a29e8b',
} as const

/** Exchanges whose `OrderFilled` names asset ids and charges a purchase in shares. */
export const exchangesV1 = [
  '0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e',
  '0xc5d563a36ae78145c45a50134d48a1215220f80a',
] as const

/** Exchanges whose `OrderFilled` names a side and charges dollars: V2, neg-risk V2, neg-risk V2 B, V3. */
export const exchangesV2 = [
  '0xe111180000d2663c0091e4f400237545b87b996b',
  '0xe2222d279d744050d28e00520010520000310f59',
  '0xe2222d002000ba0053cef3375333610f64600036',
  '0xe3333700ca9d93003f00f0f71f8515005f6c00aa',
] as const

/** Modules that give back what an order of V1 was charged above its fee. */
export const feeModules = [
  '0xe3f18acc55091e2c48d883fc8c8413319d4ab7b0',
  '0xb768891e3130f6df18214ac804d4db76c2c37730',
] as const

/** Adapters that split, merge, convert and redeem for a wallet in pUSD, and are the stakeholder of these events. */
export const collateralAdapters = [
  '0xada100874d00e3331d00f2007a9c336a65009718',
  '0xada100db00ca00073811820692005400218fce1f',
  '0xada200001000ef00d07553cee7006808f895c6f1',
  '0xada2005600dec949baf300f4c6120000bdb6eaab',
] as const

export const zeroAddress = `0x${'0'.repeat(40)}`

/** Contracts of Protocol V2 beside its position manager: the router and the modules. */
const protocolV2 = [
  '0x12121212006e4cd160d18e3f00711da5c3372600',
  '0x1000008dd9001b968442c1000017eae6e0da00ba',
  '0x200000900045e3b6259600682756002200028933',
  '0x30000034706c7d8e12009dab006be20000c031a8',
] as const

const exchanges: ReadonlySet<string> = new Set([...exchangesV1, ...exchangesV2])
const adapters: ReadonlySet<string> = new Set(collateralAdapters)
const migrators: ReadonlySet<string> = new Set([...protocolV2, contracts.positionManager])

/** Holders that are no trader: shares pass through them, or end there. */
const systemHolders: ReadonlySet<string> = new Set([zeroAddress, ...Object.keys(polymarket.systemAddresses)])

export const isExchange = (address: string): boolean => exchanges.has(address)
export const isCollateralAdapter = (address: string): boolean => adapters.has(address)
export const isMigrator = (address: string): boolean => migrators.has(address)
export const isSystemHolder = (address: string): boolean => systemHolders.has(address)
