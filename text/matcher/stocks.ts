/**
 * Symbols of crypto assets that are better known as symbols of US stocks or indices. A plain cashtag is the stock
 * unless something else in the text is about crypto.
 */
export const mostlyStocks: ReadonlySet<string> = new Set(
  'A AI APT AR BAND BEAM CAKE COMP CORE CVX ELF ETN FET FLOW GT H HIVE HOT IMX INIT IO IP JOE KEY LEO LPT M MASK MIR MNT MOVE MX NEO OCEAN OMG ORCA PLS POL RAY REQ ROSE S SAFE SC SEI SKY SLP SPX STARS STX SUN TEL TIME TON TRUMP TURBO TWT W WAL WAVES WOO ZEN'.split(
    ' ',
  ),
)

/**
 * Symbols of crypto assets that are symbols of US stocks too. Beside the cashtag of a plain stock, or of an asset that
 * is marked as crypto (`$BTC.X`), such a cashtag is the stock.
 */
export const sharedWithStocks: ReadonlySet<string> = new Set([
  ...mostlyStocks,
  ...'ALGO APE ARB ATH ATOM BAL BAT BLUR CELO CRO DAI DASH DEEP DOT ENS ETC FIL FLR FTM GALA GAS GMT GRT HNT HYPE ICP ICX'.split(
    ' ',
  ),
  ...'JTO JUP KAVA LDO LINK LUNA MANA META MKR NEAR NMR ONE ONT OP PI PUMP PYR QNT RPL RUNE SAND SKL SNT SOL STORJ STRK'.split(
    ' ',
  ),
  ...'SUI SUPER TIA TLM UNI USDP VET VIRTUAL XDC XPL ZIL ZK'.split(' '),
])

/** Stocks and funds that are often named beside others and are no crypto asset. */
export const plainStocks: ReadonlySet<string> = new Set(
  'AAPL ABNB ADBE AFRM AMC AMD AMZN ARKK ARM ASML AVGO BA BABA BAC BB BBBY BRK BYND C CAT CCL COST CRM CRWD CSCO CVNA DIA DIS DJT DKNG F FB GE GILD GLD GM GME GOOG GOOGL GS HIMS HD IBM INTC IONQ IWM JNJ JPM KO LCID LLY LULU LYFT MCD MRNA MS MSFT MU MULN NFLX NIO NKE NOW NVAX NVDA ORCL OXY PANW PATH PDD PFE PG PINS PLTR PLUG PYPL QBTS QCOM QQQ RBLX RDDT RGTI RIVN ROKU SBUX SHOP SMCI SNAP SNOW SOFI SOXL SOXS SPY SPXS SQ SQQQ SU TLT TQQQ TSLA TSM TWLO TWTR UBER UNH UPST UVXY V VIX VXX WBA WFC WISH WMT XLE XLF XOM ZM'.split(
    ' ',
  ),
)
