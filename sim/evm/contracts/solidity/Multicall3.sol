// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// The part of Multicall3 that readers of tokens and pools use.
contract Multicall3 {
    struct Call3 {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 n = 0; n < calls.length; n++) {
            (results[n].success, results[n].returnData) = calls[n].target.call(calls[n].callData);
            require(results[n].success || calls[n].allowFailure, "Multicall3: call failed");
        }
    }

    function getEthBalance(address owner) external view returns (uint256) {
        return owner.balance;
    }

    function getBlockNumber() external view returns (uint256) {
        return block.number;
    }
}
