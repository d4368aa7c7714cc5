import { chance, generatedFile, type Limits } from '#bench/fold/generated_file.ts'
import { literal } from '#storage/duckdb.ts'

/** Changes with the select below, so that a file of another select is not reused. */
const version = 1

/**
 * A Parquet file of `n` generated posts, in the order of time: `post_id, ts, text`. A post has 4 to 36 words, the
 * common ones more often, and one word in ten is a cashtag, a name of an asset, a hashtag, a number, a link or an
 * emoji. Every fifth post is a copy of one of 2,000 templates with another ending. Randomness is a hash of the row's
 * number.
 */
export const postsFile = (n: number, limits: Limits): Promise<string> =>
  generatedFile(`posts-${n}-v${version}`, select(n), limits)

const words =
  "the to a and of is in i it you for this that on are be with just have not will up at what so like my if all but now get they as do can we was buy out time going price more one about when market people still from today go back think or sell good down money here know your only by how long new see low moon there over next some than after because want hold has would need way news make right next week day looking don't great who even bullish into bearish then high never really hope much could again should keep before am their take pump dump those dip best every let much soon trading thing everyone short profit chart support resistance breakout investors exchange wallet network million billion report analyst surge crash rally falls rises launches announces partnership regulators lawsuit hack institutional holders whales green red candle volume fees staking yield protocol upgrade mainnet developers community project".split(
    ' ',
  )
const marks =
  '$BTC $ETH $SOL $LINK $DOGE.X $ADA bitcoin Ethereum Solana Chainlink XRP BTC ETH #bitcoin #crypto #defi #altcoins 100 $30,000 5% -12.5% @trader_joe https://example.org/posts/1234567890 🚀 🚀🚀 😂 LUNA Avalanche NEAR Polygon'.split(
    ' ',
  )

const list = (of: readonly string[]): string => `[${of.map(literal).join(', ')}]`

const select = (n: number): string => `
  with numbered as (
    select
      i,
      case when i % 5 = 0 then floor(2000 * ${chance('i', 1)})::bigint else 1000000 + i end as template,
      i % 5 = 0 as is_copy
    from range(${n}) as r (i)
  ),
  worded as (
    select
      i,
      is_copy,
      list_transform(range(4 + floor(32 * pow(${chance('template', 2)}, 1.5))::bigint), lambda k:
        case
          when ${chance('template * 64 + k', 3)} < 0.1
            then ${list(marks)}[1 + floor(${marks.length} * ${chance('template * 64 + k', 4)})::bigint]
          else ${list(words)}[1 + floor(${words.length} * pow(${chance('template * 64 + k', 5)}, 2))::bigint]
        end) as words
    from numbered
  )
  select
    'p' || i as post_id,
    make_timestamp(1780000000000000 + i * 400000) as ts,
    array_to_string(words, ' ') || case when is_copy then ' ' || i else '' end as text
  from worded
  order by i`
