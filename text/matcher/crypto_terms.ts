/** Terms of which one shows that a post is about crypto. */
export const cryptoTerms: readonly string[] = [
  ...'crypto cryptos cryptocurrency cryptocurrencies altcoin altcoins alts blockchain blockchains defi hodl hodler'.split(
    ' ',
  ),
  ...'hodlers hodling binance coinbase kraken kucoin bybit okx bitfinex bitstamp metamask airdrop airdrops satoshi'.split(
    ' ',
  ),
  ...'satoshis web3 nft nfts memecoin memecoins shitcoin shitcoins stablecoin stablecoins staking coingecko dex dapp'.split(
    ' ',
  ),
  ...'coinmarketcap ico icos mainnet testnet onchain tokenomics vitalik coin coins token tokens dapps gwei hashrate'.split(
    ' ',
  ),
  'meme coin',
  'meme coins',
  'smart contract',
  'smart contracts',
  'on-chain',
  'do kwon',
  'layer 2',
  'proof of stake',
  'proof of work',
]

/** Things whose names begin with that of an asset, and which are none that the dictionary knows. */
export const otherThings: readonly string[] = [
  'litecoin cash',
  'litecoin plus',
  'bitcoin atom',
  'bitcoin green',
  'bitcoin god',
  'bitcoin interest',
  'bitcoin candy',
  'bitcoin 2',
  'bitcoin minute',
  'ethereum gold',
  'ethereum dark',
  'ethereum max',
  'ethereum cash',
  'monero classic',
  'monero gold',
  'dash diamond',
  'tron legacy',
]

/** Symbols that in lower case are words, abbreviations or ends of words rather than assets. */
export const lowerWords: ReadonlySet<string> = new Set(
  'algo arb atom ena fet fil huma mnt ont sei sol uni wif wld'.split(' '),
)
