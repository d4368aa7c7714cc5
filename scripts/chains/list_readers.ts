import { z } from 'zod'

import { coinsIn, flat, keyedAddresses, tokensIn, type Claims, type Row } from './claims.ts'

/** How the facts of a package are read; `open` imports a file of the package. */
export type Reader = { package: string; read: (open: Open) => Promise<Partial<Claims>> }
export type Open = (file?: string) => Promise<unknown>

const table = z.record(z.string(), z.unknown())
/** An export of a module. */
const part = async (module: Promise<unknown>, name: string): Promise<unknown> => table.parse(await module)[name]

const explorer = z.object({ url: z.string() })
const okuChain = z.object({
  id: z.int().positive(),
  blockExplorers: z.object({ default: explorer }),
  contracts: z.object({ weth9: z.object({ address: z.string() }).optional() }),
  tokenList: z.array(z.object({ symbol: z.string(), address: z.string() })),
})
const dodoChain = z.object({ ChainId: z.int(), Token: z.object({ WETH: z.string() }) })
/** Its files of chains whose native coin is ether. Those of others name the wrapped coin by the same key. */
const dodoFiles = 'arbitrum base eth linea manta morph optimism scroll taiko zero-mainnet zircuit-mainnet'.split(' ')
const apeCoin = z.object({ symbol: z.string(), address: z.record(z.string(), z.string()) })
const lifiChain = z.object({ id: z.int(), metamask: z.object({ blockExplorerUrls: z.array(z.string()) }) })
const thirdwebChain = z.object({ chainId: z.int(), explorers: z.array(explorer).default([]) })
const api3Chain = z.object({ id: z.coerce.number(), explorer: z.object({ browserUrl: z.string() }) })
const hyperlaneChain = z.object({
  name: z.string(),
  protocol: z.literal('ethereum'),
  chainId: z.int(),
  technicalStack: z.string().optional(),
  blockExplorers: z.array(explorer).default([]),
})
const warpToken = z.object({
  chainName: z.string(),
  standard: z.string(),
  symbol: z.string(),
  decimals: z.int(),
  addressOrDenom: z.string(),
  collateralAddressOrDenom: z.string().optional(),
})
const reservoirTable = z.object({
  Common: z.object({
    WNative: z.record(z.string(), z.string()),
    Usdc: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  }),
})
const addressBook = z.record(z.string(), z.object({ tokens: z.object({ WNATIVE: z.unknown() }) }))
const subwalletChain = z.object({ evmInfo: z.object({ evmChainId: z.int(), blockExplorer: z.string().nullable() }) })
const subwalletToken = z.object({
  originChain: z.string(),
  symbol: z.string(),
  decimals: z.int(),
  metadata: z.object({ contractAddress: z.string() }),
})
const rabbyChain = z.object({ id: z.int(), scanLink: z.string() })

/** A table by network and chain; chains without an EVM id have texts. */
const constMap = z.custom<{ get: (network: string, chain: string) => string | undefined }>(
  (value) => typeof value === 'function' && 'get' in value,
)
const wormhole = z.object({
  chains: z.array(z.string()),
  nativeChainIds: z.object({ networkChainToNativeChainId: constMap }),
  circle: z.object({ usdcContract: constMap }),
  usdt: z.object({ usdtContract: constMap }),
})

/** The predeployed contract of the native coin on the OP stack. */
export const opWrapped = '0x4200000000000000000000000000000000000006'

/** The packages with facts of chains, each of a different publisher. */
export const readers: Readonly<Record<string, Reader>> = {
  '1delta': {
    package: '@1delta/wnative',
    read: async (open) => {
      const coins = table.parse(await part(open(), 'WRAPPED_NATIVE_INFO'))
      return { wrapped: coinsIn(coins) }
    },
  },
  aave: {
    package: '@aave-dao/aave-address-book',
    read: async (open) => ({ tokens: tokensIn(await open('tokenlist.json')) }),
  },
  airswap: {
    package: '@airswap/utils',
    read: async (open) => ({ wrapped: keyedAddresses(await part(open(), 'wrappedNativeTokenAddresses')) }),
  },
  api3: {
    package: '@api3/chains',
    read: async (open) => ({
      explorers: flat(api3Chain, await part(open(), 'CHAINS')).map(({ id, explorer: { browserUrl } }) => ({
        chain_id: id,
        url: browserUrl,
      })),
    }),
  },
  apeswap: {
    package: '@ape.swap/apeswap-lists',
    read: async (open) => {
      const coins = table.parse(await part(open('lib/constants/zapTokens.js'), 'WNATIVE'))
      return {
        wrapped: flat(apeCoin, Object.values(coins)).flatMap(({ symbol, address: addresses }) =>
          keyedAddresses(addresses).map((row) => ({ ...row, symbol })),
        ),
      }
    },
  },
  balancer: {
    package: '@balancer/sdk',
    read: async (open) => ({
      wrapped: Object.entries(table.parse(await part(open(), 'NATIVE_ASSETS'))).flatMap(([chain_id, coin]) => {
        const { data } = z.object({ wrapped: z.string() }).safeParse(coin)
        return data === undefined ? [] : [{ chain_id: Number(chain_id), address: data.wrapped }]
      }),
    }),
  },
  beefy: {
    package: 'blockchain-addressbook',
    read: async (open) => {
      const book = await part(open(), 'addressBook')
      const coins = Object.values(addressBook.parse(book)).map(({ tokens }) => tokens.WNATIVE)
      return { wrapped: tokensIn(coins), tokens: tokensIn(book) }
    },
  },
  circle: {
    package: '@circle-fin/provider-cctp-v2',
    // Its module does not export the table.
    read: async (open) => {
      const text = z.string().parse(await open('index.mjs?text'))
      const chains = text.matchAll(
        /chainId: (\d+),\s+isTestnet: false,(?:(?!chainId:)[^])*?usdcAddress: '(0x[0-9a-fA-F]{40})'/g,
      )
      return { dollars: [...chains].map(([, id, address]) => ({ chain_id: Number(id), address: address ?? '' })) }
    },
  },
  curve: {
    package: '@curvefi/api',
    // Its module does not load alone.
    read: async (open) => {
      const text = z.string().parse(await open('lib/constants/network_constants.js?text'))
      const networks = text.matchAll(
        /^ {4}(\d+): \{[^]*?wrappedSymbol: '(\w+)',[^]*?wrappedAddress: '(0x[0-9a-fA-F]{40})'/gm,
      )
      return {
        wrapped: [...networks].map(([, id, symbol, address]) => ({
          chain_id: Number(id),
          symbol,
          address: address ?? '',
        })),
      }
    },
  },
  dodo: {
    package: '@dodoex/dodo-contract-request',
    read: async (open) => {
      const files = await Promise.all(dodoFiles.map((name) => open(`contract-config/${name}.json`)))
      return {
        wrapped: flat(dodoChain, files).map(({ ChainId, Token }) => ({
          chain_id: ChainId,
          symbol: 'WETH',
          address: Token.WETH,
        })),
      }
    },
  },
  hyperlane: { package: '@hyperlane-xyz/registry', read: readHyperlane },
  kyberswap: {
    package: '@kyberswap/ks-sdk-core',
    read: async (open) => ({ wrapped: tokensIn(await part(open(), 'WETH')) }),
  },
  lifi: {
    package: '@lifi/data-types',
    read: async (open) => ({
      wrapped: tokensIn(await part(open(), 'wrappedTokens')),
      tokens: tokensIn(await open()),
      explorers: flat(lifiChain, await part(open(), 'supportedEVMChains')).flatMap(({ id, metamask }) =>
        metamask.blockExplorerUrls.map((url) => ({ chain_id: id, url })),
      ),
    }),
  },
  morpho: {
    package: '@morpho-org/morpho-ts',
    read: async (open) => {
      const chains = Object.entries(table.parse(await part(open(), 'addressesRegistry')))
      const addressesOf = (name: string): Row[] =>
        keyedAddresses(Object.fromEntries(chains.map(([id, addresses]) => [id, table.parse(addresses)[name]])))
      return { wrapped: addressesOf('wNative'), dollars: addressesOf('usdc') }
    },
  },
  oku: {
    package: '@gfxlabs/oku-chains',
    read: async (open) => {
      const chains = flat(okuChain, Object.values(table.parse(await open())))
      return {
        wrapped: chains.map(({ id, contracts }) => ({ chain_id: id, address: contracts.weth9?.address ?? '' })),
        tokens: chains.flatMap(({ id, tokenList }) => tokenList.map((token) => ({ chain_id: id, ...token }))),
        explorers: chains.map(({ id, blockExplorers }) => ({ chain_id: id, url: blockExplorers.default.url })),
      }
    },
  },
  optimism: { package: '@eth-optimism/tokenlist', read: async (open) => ({ tokens: tokensIn(await open()) }) },
  pancakeswap: {
    package: '@pancakeswap/tokens',
    read: async (open) => ({ tokens: tokensIn(await open()) }),
  },
  rabby: {
    package: '@debank/common',
    read: async (open) => ({
      explorers: flat(rabbyChain, await part(open('dist/chain-data.js'), 'CHAINS_RAW_LIST')).map(
        ({ id, scanLink }) => ({ chain_id: id, url: scanLink }),
      ),
    }),
  },
  reservoir: {
    package: '@reservoir0x/sdk',
    read: async (open) => {
      const { WNative, Usdc } = reservoirTable.parse(await open('dist/addresses.json')).Common
      return { wrapped: keyedAddresses(WNative), dollars: keyedAddresses(Usdc) }
    },
  },
  subwallet: {
    package: '@subwallet/chain-list',
    read: async (open) => {
      const chains = table.parse(await open('data/ChainInfo.json'))
      const chainOf = (name: string) => subwalletChain.safeParse(chains[name]).data?.evmInfo
      return {
        tokens: flat(subwalletToken, Object.values(table.parse(await open('data/ChainAsset.json')))).flatMap(
          ({ originChain, symbol, decimals, metadata }) => {
            const chain_id = chainOf(originChain)?.evmChainId
            return chain_id === undefined ? [] : [{ chain_id, symbol, decimals, address: metadata.contractAddress }]
          },
        ),
        explorers: Object.keys(chains).flatMap((name) => {
          const { evmChainId: chain_id, blockExplorer: url } = chainOf(name) ?? {}
          return chain_id === undefined || !url ? [] : [{ chain_id, url }]
        }),
      }
    },
  },
  superfluid: { package: '@superfluid-finance/tokenlist', read: async (open) => ({ tokens: tokensIn(await open()) }) },
  sushi: {
    package: 'sushi',
    read: async (open) => {
      const tokens = open('_esm/evm/config/tokens/index.js')
      return { wrapped: keyedAddresses(await part(tokens, 'WNATIVE_ADDRESS')), tokens: tokensIn(await tokens) }
    },
  },
  thirdweb: {
    package: '@thirdweb-dev/chains',
    read: async (open) => ({
      explorers: flat(thirdwebChain, await part(open(), 'allChains')).flatMap(({ chainId, explorers }) =>
        explorers.map(({ url }) => ({ chain_id: chainId, url })),
      ),
    }),
  },
  uniswap: {
    package: '@uniswap/sdk-core',
    read: async (open) => ({ wrapped: tokensIn(await part(open(), 'WETH9')) }),
  },
  wormhole: {
    package: '@wormhole-foundation/sdk-base',
    read: async (open) => {
      const { chains, nativeChainIds, circle, usdt } = wormhole.parse(await open())
      const dollars = chains.flatMap((chain) => {
        const chain_id = Number(nativeChainIds.networkChainToNativeChainId.get('Mainnet', chain))
        const addresses = [circle.usdcContract.get('Mainnet', chain), usdt.usdtContract.get('Mainnet', chain)]
        return addresses.flatMap((address) => (address === undefined ? [] : [{ chain_id, address }]))
      })
      return { dollars }
    },
  },
}

/** The tokens of warp routes and of the chains of the OP stack. Routes name tokens that they hold, or that they make. */
async function readHyperlane(open: Open): Promise<Partial<Claims>> {
  const chains = flat(
    hyperlaneChain,
    Object.values(table.parse(await part(open('dist/chainMetadata.js'), 'chainMetadata'))),
  )
  const ids = new Map(chains.map(({ name, chainId }) => [name, chainId]))
  const routes = Object.values(table.parse(await part(open('dist/warpRouteConfigs.js'), 'warpRouteConfigs')))
  const tokens = flat(z.object({ tokens: z.array(z.unknown()) }), routes).flatMap((route) =>
    flat(warpToken, route.tokens),
  )
  return {
    wrapped: chains.flatMap(({ chainId, technicalStack }) =>
      technicalStack === 'opstack' ? [{ chain_id: chainId, address: opWrapped }] : [],
    ),
    tokens: tokens.flatMap(({ chainName, standard, symbol, decimals, addressOrDenom, collateralAddressOrDenom }) => {
      const chain_id = ids.get(chainName)
      const address = standard.includes('Collateral') ? collateralAddressOrDenom : addressOrDenom
      if (chain_id === undefined || address === undefined || standard.includes('Native')) return []
      return [{ chain_id, symbol, decimals, address }]
    }),
    explorers: chains.flatMap(({ chainId, blockExplorers }) =>
      blockExplorers.map(({ url }) => ({ chain_id: chainId, url })),
    ),
  }
}
