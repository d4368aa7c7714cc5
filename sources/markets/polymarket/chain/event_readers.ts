import { address, MalformedLog, topicAddress, topicWord, uint } from '#sources/evm/decode/event/words.ts'

import type { ChainEvent, ChainLog, Funded, Matched, Moved, Paired, PoolTrade } from './chain_events.ts'
import { contracts, exchangesV1, exchangesV2, feeModules } from './contracts.ts'

/**
 * An event that is read: the contracts that emit it, topics by position from the second on that it must have, and its
 * parts. Undefined is a log that moves nothing of this venue.
 */
export type Reader = {
  event: string
  emitters: readonly string[] | 'any'
  parties?: readonly (readonly string[] | null)[]
  read: (log: ChainLog) => ChainEvent | undefined
}

const ctf = [contracts.ctf]
const holders = [contracts.ctf, contracts.positionManager]
const adapter = [contracts.negRiskAdapter]

const order = 'bytes32 indexed order, address indexed maker'
const assets = 'uint256 makerAssetId, uint256 takerAssetId, uint256 making, uint256 taking'
const sides = 'uint8 side, uint256 tokenId, uint256 making, uint256 taking'
const pair = 'address indexed stakeholder, address collateral, bytes32 indexed parent, bytes32 indexed condition'
const condition = 'bytes32 indexed condition, address indexed oracle, bytes32 indexed question, uint256 slots'
const parties = 'address indexed operator, address indexed from, address indexed to'

/** Every event that rows follow from. */
export const readers: readonly Reader[] = [
  {
    event: `event OrderFilled(${order}, address indexed taker, ${assets}, uint256 fee)`,
    emitters: exchangesV1,
    read: filledV1,
  },
  {
    event: `event OrderFilled(${order}, address indexed taker, ${sides}, uint256 fee, bytes32 builder, bytes32 metadata)`,
    emitters: exchangesV2,
    read: filledV2,
  },
  { event: `event OrdersMatched(${order}, ${assets})`, emitters: exchangesV1, read: matched },
  { event: `event OrdersMatched(${order}, ${sides})`, emitters: exchangesV2, read: matched },
  {
    event:
      'event FeeRefunded(bytes32 indexed order, address indexed to, uint256 id, uint256 refund, uint256 indexed charged)',
    emitters: feeModules,
    read: ({ topics, data }) => ({ kind: 'refunded', order: topicWord(topics, 1), amount: uint(data, 1) }),
  },
  {
    event: `event PositionSplit(${pair}, uint256[] partition, uint256 amount)`,
    emitters: ctf,
    read: pairedByCtf('split'),
  },
  {
    event: `event PositionsMerge(${pair}, uint256[] partition, uint256 amount)`,
    emitters: ctf,
    read: pairedByCtf('merge'),
  },
  {
    event:
      'event PayoutRedemption(address indexed redeemer, address indexed collateral, bytes32 indexed parent, ' +
      'bytes32 condition, uint256[] indexSets, uint256 payout)',
    emitters: ctf,
    read: redeemedAtCtf,
  },
  {
    event: `event ConditionPreparation(${condition})`,
    emitters: ctf,
    read: ({ topics, data }) => ({
      kind: 'prepared',
      condition: topicWord(topics, 1),
      oracle: topicAddress(topics, 2),
      question: topicWord(topics, 3),
      n_outcomes: Number(uint(data, 0, 16)),
    }),
  },
  {
    event: `event ConditionResolution(${condition}, uint256[] payoutNumerators)`,
    emitters: ctf,
    read: ({ topics, data }) => ({ kind: 'resolved', condition: topicWord(topics, 1), numerators: uints(data, 1) }),
  },
  {
    event: `event TransferSingle(${parties}, uint256 id, uint256 value)`,
    emitters: holders,
    read: (log) => moved(log, [uint(log.data, 0)], [uint(log.data, 1)]),
  },
  {
    event: `event TransferBatch(${parties}, uint256[] ids, uint256[] values)`,
    emitters: holders,
    read: (log) => moved(log, uints(log.data, 0), uints(log.data, 1)),
  },
  {
    event: 'event PositionSplit(address indexed stakeholder, bytes32 indexed condition, uint256 amount)',
    emitters: adapter,
    read: pairedByAdapter('split'),
  },
  {
    event: 'event PositionsMerge(address indexed stakeholder, bytes32 indexed condition, uint256 amount)',
    emitters: adapter,
    read: pairedByAdapter('merge'),
  },
  {
    event:
      'event PositionsConverted(address indexed stakeholder, bytes32 indexed market, uint256 indexed indexSet, uint256 amount)',
    emitters: adapter,
    read: ({ topics, data }) => ({
      kind: 'converted',
      stakeholder: topicAddress(topics, 1),
      market: topicWord(topics, 2),
      indexSet: BigInt(topicWord(topics, 3)),
      amount: uint(data, 0),
    }),
  },
  {
    event:
      'event PayoutRedemption(address indexed redeemer, bytes32 indexed condition, uint256[] amounts, uint256 payout)',
    emitters: adapter,
    read: ({ topics, data }) => ({
      kind: 'redeemed',
      isAdapter: true,
      redeemer: topicAddress(topics, 1),
      condition: topicWord(topics, 2),
      payout: uint(data, 1),
    }),
  },
  {
    event:
      'event FixedProductMarketMakerCreation(address indexed creator, address fixedProductMarketMaker, ' +
      'address conditionalTokens, address collateralToken, bytes32[] conditionIds, uint256 fee)',
    emitters: [contracts.ammFactory],
    read: ({ topics, data }) => ({ kind: 'pool created', creator: topicAddress(topics, 1), pool: address(data, 0) }),
  },
  {
    event:
      'event FPMMBuy(address indexed buyer, uint256 investmentAmount, uint256 feeAmount, uint256 indexed outcomeIndex, ' +
      'uint256 outcomeTokensBought)',
    emitters: 'any',
    read: poolTrade(true),
  },
  {
    event:
      'event FPMMSell(address indexed seller, uint256 returnAmount, uint256 feeAmount, uint256 indexed outcomeIndex, ' +
      'uint256 outcomeTokensSold)',
    emitters: 'any',
    read: poolTrade(false),
  },
  {
    event: 'event FPMMFundingAdded(address indexed funder, uint256[] amountsAdded, uint256 sharesMinted)',
    emitters: 'any',
    read: (log) => funded(log, { isAdded: true, feeShare: 0n }),
  },
  {
    event:
      'event FPMMFundingRemoved(address indexed funder, uint256[] amountsRemoved, ' +
      'uint256 collateralRemovedFromFeePool, uint256 sharesBurnt)',
    emitters: 'any',
    read: (log) => funded(log, { isAdded: false, feeShare: uint(log.data, 1) }),
  },
  {
    event: 'event ProxyCreation(address proxy, address owner)',
    emitters: [contracts.safeFactory],
    read: ({ data }) => ({ kind: 'wallet', wallet: address(data, 0), owner: address(data, 1) }),
  },
  {
    event:
      'event TransactionRelayed(address indexed relay, address indexed from, address indexed to, bytes4 selector, ' +
      'uint8 status, uint256 charge)',
    emitters: [contracts.relayHub],
    parties: [null, null, [contracts.proxyFactory]],
    read: ({ topics }) => ({ kind: 'wallet', wallet: null, owner: topicAddress(topics, 2) }),
  },
  {
    event: 'event Transfer(address indexed from, address indexed to, uint256 value)',
    emitters: [contracts.usdce, contracts.pusd],
    parties: [[contracts.rewardsPayer]],
    read: ({ topics, data }) => ({ kind: 'paid', to: topicAddress(topics, 2), amount: uint(data, 0) }),
  },
]

function filledV1({ address: exchange, topics, data }: ChainLog): ChainEvent {
  const [gave, got] = [uint(data, 0), uint(data, 1)]
  if ((gave === 0n) === (got === 0n)) throw new MalformedLog(`assets ${gave} and ${got}; expected one of collateral`)
  const isBuy = gave === 0n
  return { ...filled(exchange, topics, data), isBuy, token: String(isBuy ? got : gave), isFeeInShares: isBuy }
}

function filledV2({ address: exchange, topics, data }: ChainLog): ChainEvent {
  const side = uint(data, 0)
  if (side > 1n) throw new MalformedLog(`side ${side}; expected 0 or 1`)
  return { ...filled(exchange, topics, data), isBuy: side === 0n, token: String(uint(data, 1)), isFeeInShares: false }
}

const filled = (exchange: string, topics: readonly string[], data: string) => ({
  kind: 'filled' as const,
  exchange,
  order: topicWord(topics, 1),
  maker: topicAddress(topics, 2),
  taker: topicAddress(topics, 3),
  making: uint(data, 2),
  taking: uint(data, 3),
  fee: uint(data, 4),
})

function matched({ address: exchange, topics }: ChainLog): Matched {
  return { kind: 'matched', exchange, order: topicWord(topics, 1), maker: topicAddress(topics, 2) }
}

/** The conditional tokens are shared: other projects split other collateral, and collections within collections. */
const isOfVenue = (parent: string, collateral: string): boolean =>
  /^0x0+$/.test(parent) && (collateral === contracts.usdce || collateral === contracts.wrappedCollateral)

function pairedByCtf(kind: Paired['kind']): Reader['read'] {
  return ({ topics, data }) => {
    if (!isOfVenue(topicWord(topics, 2), address(data, 0))) return undefined
    const [stakeholder, conditionId] = [topicAddress(topics, 1), topicWord(topics, 3)]
    return { kind, isAdapter: false, stakeholder, condition: conditionId, amount: uint(data, 2) }
  }
}

function pairedByAdapter(kind: Paired['kind']): Reader['read'] {
  return ({ topics, data }) => ({
    kind,
    isAdapter: true,
    stakeholder: topicAddress(topics, 1),
    condition: topicWord(topics, 2),
    amount: uint(data, 0),
  })
}

function redeemedAtCtf({ topics, data }: ChainLog): ChainEvent | undefined {
  if (!isOfVenue(topicWord(topics, 3), topicAddress(topics, 2))) return undefined
  const conditionId = `0x${uint(data, 0).toString(16).padStart(64, '0')}`
  return {
    kind: 'redeemed',
    isAdapter: false,
    redeemer: topicAddress(topics, 1),
    condition: conditionId,
    payout: uint(data, 2),
  }
}

function moved({ address: contract, topics }: ChainLog, ids: readonly bigint[], values: readonly bigint[]): Moved {
  if (ids.length !== values.length) throw new MalformedLog(`${ids.length} ids and ${values.length} values`)
  const amounts = new Map<string, bigint>()
  for (const [n, id] of ids.entries()) amounts.set(String(id), (amounts.get(String(id)) ?? 0n) + (values[n] ?? 0n))
  const [operator, from, to] = [topicAddress(topics, 1), topicAddress(topics, 2), topicAddress(topics, 3)]
  return { kind: 'moved', contract, operator, from, to, amounts }
}

function poolTrade(isBuy: boolean): (log: ChainLog) => PoolTrade {
  return ({ address: pool, topics, data }) => ({
    kind: 'pool trade',
    pool,
    trader: topicAddress(topics, 1),
    isBuy,
    cash: uint(data, 0),
    fee: uint(data, 1),
    shares: uint(data, 2),
  })
}

function funded(
  { address: pool, topics, data }: ChainLog,
  { isAdded, feeShare }: Pick<Funded, 'isAdded' | 'feeShare'>,
): Funded {
  return { kind: 'funded', pool, funder: topicAddress(topics, 1), isAdded, amounts: uints(data, 0), feeShare }
}

/** The list whose offset is word `n` of the data. */
function uints(data: string, n: number): bigint[] {
  const start = Number(uint(data, n, 32)) / 32
  const length = Number(uint(data, start, 32))
  if (!Number.isInteger(start) || data.length < 2 + 64 * (start + 1 + length))
    throw new MalformedLog(`list at word ${n}: outside of the data`)
  return Array.from({ length }, (_, item) => uint(data, start + 1 + item))
}
