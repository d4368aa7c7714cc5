// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

interface Dollars {
    function transfer(address to, uint256 value) external returns (bool);
    function transferFrom(address from, address to, uint256 value) external returns (bool);
    function approve(address spender, uint256 value) external returns (bool);
    function mint(address to, uint256 value) external;
    function balanceOf(address holder) external view returns (uint256);
}

interface ConditionalTokens {
    function prepareCondition(address oracle, bytes32 question, uint256 outcomes) external;
    function reportPayouts(bytes32 question, uint256[] calldata payouts) external;
    function splitPosition(address collateral, bytes32 parent, bytes32 condition, uint256[] calldata partition, uint256 amount) external;
    function mergePositions(address collateral, bytes32 parent, bytes32 condition, uint256[] calldata partition, uint256 amount) external;
    function redeemPositions(address collateral, bytes32 parent, bytes32 condition, uint256[] calldata sets) external;
    function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes calldata data) external;
    function safeBatchTransferFrom(address from, address to, uint256[] calldata ids, uint256[] calldata values, bytes calldata data) external;
    function balanceOf(address holder, uint256 id) external view returns (uint256);
    function getPositionId(address collateral, bytes32 collection) external view returns (uint256);
    function getCollectionId(bytes32 parent, bytes32 condition, uint256 set) external view returns (bytes32);
}

/// What the contracts of Polymarket have in common: the outcome tokens, their dollars, and both outcomes of a condition.
abstract contract OutcomeTokens {
    ConditionalTokens internal constant shares = ConditionalTokens(0x4D97DCd97eC945f40cF65F87097ACe5EA0476045);
    Dollars internal constant dollars = Dollars(0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174);

    function pair() internal pure returns (uint256[] memory sets) {
        sets = new uint256[](2);
        (sets[0], sets[1]) = (1, 2);
    }

    function onERC1155Received(address, address, uint256, uint256, bytes calldata) external pure returns (bytes4) {
        return this.onERC1155Received.selector;
    }

    function onERC1155BatchReceived(address, address, uint256[] calldata, uint256[] calldata, bytes calldata)
        external
        pure
        returns (bytes4)
    {
        return this.onERC1155BatchReceived.selector;
    }
}
