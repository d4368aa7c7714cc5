/** The facts of a chain that viem's registry lacks, or that hold in place of viem's. */
export type Override = {
  /** The usual name; by default it follows from viem's name. */
  slug?: string
  /** The export of viem that counts, where several have the id. Their names all find the chain. */
  viem?: string
  /** The name in documentation. */
  name?: string
  /** Further keyless URLs, after those of viem. */
  urls?: readonly string[]
  /** Milliseconds between blocks. */
  block_ms?: number
  /** Blocks below the head that count as final, where the default is too few. */
  finality?: number
  /** The ERC-20 contract of the native coin. */
  wrapped?: string
  /** Contracts that show the native coin itself as a token. */
  mirrors?: readonly string[]
  /** Tokens that are worth a US dollar, the most traded first. */
  stables?: readonly string[]
  /** The blocks of one unit of the lake, where the default holds too many trades for one reading. */
  unit_blocks?: number
  /** A chain that is not listed, with the reason. */
  dropped?: string
}

/** By chain id. Addresses are in lower case. */
export const overrides: Readonly<Record<number, Override>> = {
  1: {
    unit_blocks: 100,
    slug: 'ethereum',
    urls: ['https://ethereum-rpc.publicnode.com', 'https://eth.drpc.org', 'https://1rpc.io/eth'],
    finality: 65,
    wrapped: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
    stables: [
      '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
      '0xdac17f958d2ee523a2206206994597c13d831ec7',
      '0x6b175474e89094c44da98b954eedeac495271d0f',
    ],
  },
  10: {
    slug: 'optimism',
    urls: ['https://optimism-rpc.publicnode.com', 'https://optimism.drpc.org', 'https://1rpc.io/op'],
    stables: [
      '0x0b2c639c533813f4aa9d7837caf62653d097ff85',
      '0x7f5c764cbc14f9669b88837ca1490cca17c31607',
      '0x94b008aa00579c1307b0ef2c499ad98a8ce58e58',
      '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1',
    ],
  },
  25: {
    slug: 'cronos',
    urls: ['https://cronos-evm-rpc.publicnode.com'],
    wrapped: '0x5c7f8a570d578ed84e63fdfa7b1ee72deae1ae23',
    stables: ['0xc21223249ca28397b4b6541dffaecc539bff0c59'],
  },
  30: { slug: 'rootstock' },
  50: { slug: 'xdc' },
  56: {
    unit_blocks: 100,
    slug: 'bsc',
    urls: ['https://bsc-rpc.publicnode.com', 'https://bsc-dataseed.bnbchain.org', 'https://1rpc.io/bnb'],
    wrapped: '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c',
    stables: [
      '0x55d398326f99059ff775485246999027b3197955',
      '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d',
      '0xe9e7cea3dedca5984780bafc599bd69add087d56',
    ],
  },
  66: { slug: 'okxchain', name: 'OKXChain' },
  96: { slug: 'bitkub' },
  100: {
    urls: ['https://gnosis-rpc.publicnode.com', 'https://gnosis.drpc.org', 'https://1rpc.io/gnosis'],
    wrapped: '0xe91d153e0b41518a2ce8dd3d7944fa863463a97d',
    stables: ['0xe91d153e0b41518a2ce8dd3d7944fa863463a97d', '0xddafbb505ad214d7b80b1f830fccc89b60fb7a83'],
  },
  130: {
    unit_blocks: 100,
    urls: ['https://unichain-rpc.publicnode.com'],
    stables: ['0x078d782b760474a361dda0af3839290b0ef57ad6'],
  },
  137: {
    unit_blocks: 100,
    urls: ['https://polygon-bor-rpc.publicnode.com', 'https://polygon-rpc.com', 'https://1rpc.io/matic'],
    // A reorganization of February 2023 replaced 157 blocks.
    finality: 200,
    wrapped: '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270',
    mirrors: ['0x0000000000000000000000000000000000001010'],
    stables: [
      '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
      '0x2791bca1f2de4661ed88a30c99a7a9449aa84174',
      '0xc2132d05d31c914a87c6611c10748aeb04b58e8f',
      '0x8f3cf7ad23cd3cadbd9735aff958023239c6a063',
    ],
  },
  146: {
    urls: ['https://sonic-rpc.publicnode.com', 'https://sonic.drpc.org'],
    wrapped: '0x039e2fb66102314ce7b64ce5ce3e5183bc94ad38',
    stables: ['0x29219dd400f2bf60e5a23d13be72b486d4038894'],
  },
  166: { viem: 'nomina' },
  196: { slug: 'x-layer' },
  250: {
    urls: ['https://fantom-rpc.publicnode.com'],
    wrapped: '0x21be370d5312f44cb42ce377bc9b8a0cef1a4c83',
  },
  252: { wrapped: '0xfc00000000000000000000000000000000000006' },
  324: {
    slug: 'zksync',
    viem: 'zksync',
    urls: ['https://zksync.drpc.org'],
    wrapped: '0x5aea5775959fbc2557cc8789bc1bf90a239d9a91',
    mirrors: ['0x000000000000000000000000000000000000800a'],
    stables: ['0x1d17cbcf0d6d143135ae902365d2e5e2a16538d4', '0x3355df6d4c9c3035724fd0e3914de96a5a83aaf4'],
  },
  397: { slug: 'near' },
  463: { viem: 'areonNetwork' },
  480: { slug: 'worldchain', stables: ['0x79a02482a880bce3f13e09da970dc34db4cd24d1'] },
  999: { viem: 'hyperEvm', block_ms: 1000, wrapped: '0x5555555555555555555555555555555555555555' },
  1284: { wrapped: '0xacc15dc74880c9944775448304b263d191c6077f' },
  1329: { slug: 'sei' },
  4217: { viem: 'tempo' },
  4663: { slug: 'robinhood' },
  5000: {
    urls: ['https://mantle-rpc.publicnode.com', 'https://mantle.drpc.org'],
    block_ms: 2000,
    wrapped: '0x78c1b0c915c4faa5fffa6cabf0219da63d7f4cb8',
    stables: ['0x09bc4e0d864854c6afb6eb9a9cdf58ac190d0df9', '0x201eba5cc46d216ce6dc03f6a759e8e766e956ae'],
  },
  8217: { viem: 'kaia' },
  8453: {
    unit_blocks: 100,
    // `basePreconf` serves blocks before they are sealed.
    viem: 'base',
    urls: ['https://base-rpc.publicnode.com', 'https://base.drpc.org', 'https://1rpc.io/base'],
    stables: ['0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', '0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca'],
  },
  9700: { dropped: 'a development network' },
  42161: {
    slug: 'arbitrum',
    urls: ['https://arbitrum-one-rpc.publicnode.com', 'https://arbitrum.drpc.org', 'https://1rpc.io/arb'],
    wrapped: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1',
    stables: [
      '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
      '0xff970a61a04b1ca14834a43f5de4533ebddb5cc8',
      '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9',
      '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1',
    ],
  },
  42220: {
    urls: ['https://celo.drpc.org'],
    // The native coin is an ERC-20 token itself.
    wrapped: '0x471ece3750da237f93b8e339c536989b8978a438',
    mirrors: ['0x471ece3750da237f93b8e339c536989b8978a438'],
    stables: [
      '0xceba9300f2b948710d2653dd7b07f33a8b32118c',
      '0x48065fbbe25f71c9282ddf5e1cd6d6a887483d5e',
      '0x765de816845861e75a25fca122bb6898b8b1282a',
    ],
  },
  43114: {
    urls: ['https://avalanche-c-chain-rpc.publicnode.com', 'https://avalanche.drpc.org', 'https://1rpc.io/avax/c'],
    wrapped: '0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7',
    stables: ['0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e', '0x9702230a8ea53601f5cd2dc00fdbc13d4df4a8c7'],
  },
  59144: {
    urls: ['https://linea-rpc.publicnode.com', 'https://linea.drpc.org', 'https://1rpc.io/linea'],
    wrapped: '0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f',
    stables: ['0x176211869ca2b568f2a7d4ee941e073a821ee1ff', '0xa219439258ca9da29e9cc4ce5596924745e12b93'],
  },
  80094: {
    wrapped: '0x6969696969696969696969696969696969696969',
    stables: ['0xfcbd14dc51f0a4d49d5e53c2e0950e0bc26d0dce'],
  },
  81457: {
    urls: ['https://blast-rpc.publicnode.com', 'https://blast.drpc.org'],
    wrapped: '0x4300000000000000000000000000000000000004',
    stables: ['0x4300000000000000000000000000000000000003'],
  },
  200901: { viem: 'bitlayer' },
  534352: {
    urls: ['https://scroll-rpc.publicnode.com', 'https://scroll.drpc.org', 'https://1rpc.io/scroll'],
    wrapped: '0x5300000000000000000000000000000000000004',
    stables: ['0x06efdbff2a14a7c8e15944d1f4a48f9f95f663a4', '0xf55bec9cafdbe8730f096aa55dad6d22d44099df'],
  },
}
