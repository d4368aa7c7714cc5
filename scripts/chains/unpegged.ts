type Unpegged = { id: number; address: string; reason: string }

const lost = (id: number, reason: string, addresses: readonly string[]): Unpegged[] =>
  addresses.map((address) => ({ id, address, reason }))
const multichain = 'its reserves were lost with the bridge Multichain in July 2023'

/** Bridged dollars that lists still name, although their reserves were lost: they are worth less than a dollar. */
export const unpegged: readonly Unpegged[] = [
  ...lost(122, multichain, [
    '0x620fd5fa44be6af63715ef4e65ddfa0387ad13f5',
    '0xfadbbf8ce7d5b7041be672561bba99f79c532e10',
    '0x94ba7a27c7a95863d1bdc7645ac2951e0cca06ba',
  ]),
  ...lost(250, multichain, [
    '0x04068da6c83afcfa0e13ba15a6696662335d5b75',
    '0x049d68029688eabf473097a2fc38ef61633a3c7a',
    '0x8d11ec38a3eb5e956b052f67da8bdc9bef8abf3e',
  ]),
  ...lost(1284, multichain, [
    '0x818ec0a7fe18ff94269904fced6ae3dae6d6dc0b',
    '0xefaeee334f0fd1712f9a8cc375f427d9cdd40d73',
    '0x765277eebeca2e31912c9946eae1021199b39c61',
  ]),
  ...lost(1285, multichain, [
    '0xe3f5a90f9cb311505cd691a46596599aa1a0ad7d',
    '0xb44a9b6905af7c801311e8f4e76932ee959c663c',
    '0x80a16016cc4a2e6a2caca8a4a498b1699ff0f844',
  ]),
  ...lost(1_666_600_000, 'its reserves were lost with the bridge Horizon in June 2022', [
    '0x985458e523db3d53125813ed68c274899e9dfab4',
    '0x3c2b8be99c50593081eaa2a724f0b8285f5aba8f',
    '0xef977d2f931c1978db5f6747666fa1eacb0d0339',
  ]),
]
