import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils'

import type { ContractCall, Output } from './token_calls.ts'

const abi = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[] results)',
])

/** The input of Multicall3 that makes calls, each of which may fail. */
export function aggregateInput(calls: readonly ContractCall[]): `0x${string}` {
  const args = calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))
  return encodeFunctionData({ abi, args: [args] })
}

/** The outputs of the calls, in their order. Throws if the output of Multicall3 has other bytes. */
export const aggregateOutputs = (output: `0x${string}`): Output[] =>
  decodeFunctionResult({ abi, functionName: 'aggregate3', data: output }).map(({ success, returnData }) =>
    success ? returnData : null,
  )
