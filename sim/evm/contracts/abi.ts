import { parseAbi } from 'viem/utils'

/** The functions and events of the deployed contracts that the world uses. */
export const token = parseAbi([
  'function mint(address to, uint256 value)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function airdrop(address[] to, uint256 value)',
  'function balanceOf(address owner) view returns (uint256)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])

export const wrappedCoin = parseAbi(['function deposit() payable', 'event Deposit(address indexed dst, uint256 wad)'])

export const v2 = parseAbi([
  'function addLiquidity(address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline)',
  'function addLiquidityETH(address token, uint256 amountTokenDesired, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline) payable',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable',
  'function swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'event PairCreated(address indexed token0, address indexed token1, address pair, uint256 n)',
  'event Sync(uint112 reserve0, uint112 reserve1)',
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
])

export const v3 = parseAbi([
  'struct Position { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }',
  'struct ExactInput { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable',
  'function mint(Position params) payable',
  'function exactInputSingle(ExactInput params) payable',
  'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
  'function multicall(bytes[] data) payable',
  'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
])

export const v4 = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct ModifyLiquidity { int24 tickLower; int24 tickUpper; int256 liquidityDelta; bytes32 salt; }',
  'struct SwapParams { bool zeroForOne; int256 amountSpecified; uint160 sqrtPriceLimitX96; }',
  'struct Settings { bool takeClaims; bool settleUsingBurn; }',
  'function initialize(PoolKey key, uint160 sqrtPriceX96)',
  'function modifyLiquidity(PoolKey key, ModifyLiquidity params, bytes hookData) payable',
  'function swap(PoolKey key, SwapParams params, Settings settings, bytes hookData) payable',
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
])

export const aggregator = parseAbi([
  'struct Hop { uint24 fee; address tokenIn; address tokenOut; uint256 share; }',
  'function swap(address tokenIn, uint256 amountIn, address tokenOut, uint256 amountOutMin, Hop[] hops) returns (uint256)',
])

/** A router that trades for the native coin, of which it keeps a fee, and fills orders of makers. */
export const nativeRouter = parseAbi([
  'function sell(uint256 amountIn, address[] path)',
  'function buy(uint256 spent, address[] path) payable',
  'function fill(address maker, uint256 amountIn, address[] path, uint256 asked)',
])

export const accounts = parseAbi([
  'struct Operation { address sender; uint256 nonce; bytes callData; }',
  'struct Call { address target; uint256 value; bytes data; }',
  'function depositTo(address account) payable',
  'function handleOps(Operation[] operations, address beneficiary)',
  'function executeBatch(Call[] calls)',
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
])
