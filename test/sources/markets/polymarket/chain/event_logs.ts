import { encodeAbiParameters, encodeEventTopics, parseAbiItem, type AbiEvent, type Hex } from 'viem'

import type { ChainLog } from '#sources/markets/polymarket/chain/chain_events.ts'

/** A log as a contract emits it, encoded by viem from the event and its arguments by name. */
export function logOf(
  address: string,
  event: string,
  args: Readonly<Record<string, unknown>>,
): Omit<ChainLog, 'log_index'> {
  const abi = parseAbiItem(event) as AbiEvent
  const indexed = Object.fromEntries(
    abi.inputs.filter((input) => input.indexed).map(({ name = '' }) => [name, args[name]]),
  )
  const plain = abi.inputs.filter((input) => input.indexed !== true)
  const topics = encodeEventTopics({ abi: [abi], eventName: abi.name, args: indexed }) as Hex[]
  const data = encodeAbiParameters(
    plain,
    plain.map(({ name = '' }) => args[name]),
  )
  return { address, topics, data }
}

const order = 'bytes32 indexed orderHash, address indexed maker'
const both = 'uint256 makerAmountFilled, uint256 takerAmountFilled'
const parties = 'address indexed operator, address indexed from, address indexed to'
const pair =
  'address indexed stakeholder, address collateralToken, bytes32 indexed parentCollectionId, bytes32 indexed conditionId'

/** The events in the notation of Solidity, as the contracts declare them. */
export const events = {
  filledV1: `event OrderFilled(${order}, address indexed taker, uint256 makerAssetId, uint256 takerAssetId, ${both}, uint256 fee)`,
  filledV2: `event OrderFilled(${order}, address indexed taker, uint8 side, uint256 tokenId, ${both}, uint256 fee, bytes32 builder, bytes32 metadata)`,
  matchedV1: `event OrdersMatched(bytes32 indexed takerOrderHash, address indexed takerOrderMaker, uint256 makerAssetId, uint256 takerAssetId, ${both})`,
  matchedV2: `event OrdersMatched(bytes32 indexed takerOrderHash, address indexed takerOrderMaker, uint8 side, uint256 tokenId, ${both})`,
  refunded:
    'event FeeRefunded(bytes32 indexed orderHash, address indexed to, uint256 id, uint256 refund, uint256 indexed feeCharged)',
  single: `event TransferSingle(${parties}, uint256 id, uint256 value)`,
  batch: `event TransferBatch(${parties}, uint256[] ids, uint256[] values)`,
  split: `event PositionSplit(${pair}, uint256[] partition, uint256 amount)`,
  merge: `event PositionsMerge(${pair}, uint256[] partition, uint256 amount)`,
  redeem:
    'event PayoutRedemption(address indexed redeemer, address indexed collateralToken, bytes32 indexed parentCollectionId, bytes32 conditionId, uint256[] indexSets, uint256 payout)',
  prepared:
    'event ConditionPreparation(bytes32 indexed conditionId, address indexed oracle, bytes32 indexed questionId, uint256 outcomeSlotCount)',
  resolved:
    'event ConditionResolution(bytes32 indexed conditionId, address indexed oracle, bytes32 indexed questionId, uint256 outcomeSlotCount, uint256[] payoutNumerators)',
  adapterSplit: 'event PositionSplit(address indexed stakeholder, bytes32 indexed conditionId, uint256 amount)',
  adapterMerge: 'event PositionsMerge(address indexed stakeholder, bytes32 indexed conditionId, uint256 amount)',
  adapterRedeem:
    'event PayoutRedemption(address indexed redeemer, bytes32 indexed conditionId, uint256[] amounts, uint256 payout)',
  converted:
    'event PositionsConverted(address indexed stakeholder, bytes32 indexed marketId, uint256 indexed indexSet, uint256 amount)',
  poolCreated:
    'event FixedProductMarketMakerCreation(address indexed creator, address fixedProductMarketMaker, address conditionalTokens, address collateralToken, bytes32[] conditionIds, uint256 fee)',
  poolBuy:
    'event FPMMBuy(address indexed buyer, uint256 investmentAmount, uint256 feeAmount, uint256 indexed outcomeIndex, uint256 outcomeTokensBought)',
  poolSell:
    'event FPMMSell(address indexed seller, uint256 returnAmount, uint256 feeAmount, uint256 indexed outcomeIndex, uint256 outcomeTokensSold)',
  fundingAdded: 'event FPMMFundingAdded(address indexed funder, uint256[] amountsAdded, uint256 sharesMinted)',
  fundingRemoved:
    'event FPMMFundingRemoved(address indexed funder, uint256[] amountsRemoved, uint256 collateralRemovedFromFeePool, uint256 sharesBurnt)',
  proxyCreation: 'event ProxyCreation(address proxy, address owner)',
  relayed:
    'event TransactionRelayed(address indexed relay, address indexed from, address indexed to, bytes4 selector, uint8 status, uint256 charge)',
  erc20: 'event Transfer(address indexed from, address indexed to, uint256 value)',
} as const
