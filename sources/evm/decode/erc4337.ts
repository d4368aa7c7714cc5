import type { Protocol } from './event/decoder.ts'

/** Operations of smart accounts: the entry point emits one event after the logs of each. */
export const erc4337: Protocol = [
  {
    dataset: 'user_operations',
    event:
      'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
    map: { sender: 'sender', paymaster: 'paymaster', is_ok: 'success', amount_fee: 'actualGasCost' },
    emitters: () => [
      '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
      '0x0000000071727de22e5e9d8baf0edac6f37da032',
      '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
    ],
  },
]
