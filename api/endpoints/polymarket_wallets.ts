import type { Hex } from 'viem'
import { concatHex, getCreate2Address, keccak256, padHex } from 'viem/utils'

/**
 * The contracts through which an owner trades on Polymarket, in lower case. An e-mail account has a proxy wallet; a
 * wallet account has a Gnosis Safe. CREATE2 derives both from the owner.
 */
export function polymarketWallets(owner: Hex): { proxy: string; safe: string } {
  const derive = (from: Hex, salt: Hex, bytecodeHash: Hex) =>
    getCreate2Address({ from, salt, bytecodeHash }).toLowerCase()
  return {
    proxy: derive(proxyFactory, keccak256(concatHex([owner])), proxyInitCodeHash),
    safe: derive(safeFactory, keccak256(padHex(owner, { size: 32 })), safeInitCodeHash),
  }
}

const proxyFactory = '0xaB45c5A4B0c941a2F231C04C3f49182e1A254052'
const proxyInitCodeHash = '0xd21df8dc65880a8606f09fe0ce3df9b8869287ab0b058be05aa9e8af6330a00b'
const safeFactory = '0xaacFeEa03eb1561C4e67d661e40682Bd20E3541b'
const safeInitCodeHash = '0x2bce2127ff07fb632d16c8347c4ebf501f4841168bed00d9e6ef715ddb6fcecf'
