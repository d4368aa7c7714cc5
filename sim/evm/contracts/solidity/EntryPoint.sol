// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// An entry point of ERC-4337 without signatures: it runs operations of accounts, which prepay their gas.
contract EntryPoint {
    struct Operation {
        address sender;
        uint256 nonce;
        bytes callData;
    }

    event Deposited(address indexed account, uint256 totalDeposit);
    event BeforeExecution();
    event UserOperationEvent(
        bytes32 indexed userOpHash,
        address indexed sender,
        address indexed paymaster,
        uint256 nonce,
        bool success,
        uint256 actualGasCost,
        uint256 actualGasUsed
    );

    /// The gas of an operation outside its call.
    uint256 private constant overhead = 45_000;
    mapping(address => uint256) public balanceOf;

    function depositTo(address account) external payable {
        balanceOf[account] += msg.value;
        emit Deposited(account, balanceOf[account]);
    }

    function handleOps(Operation[] calldata operations, address payable beneficiary) external {
        emit BeforeExecution();
        uint256 collected = 0;
        for (uint256 n = 0; n < operations.length; n++) collected += run(operations[n]);
        (bool isPaid,) = beneficiary.call{value: collected}("");
        require(isPaid, "unpaid");
    }

    function run(Operation calldata operation) private returns (uint256 cost) {
        uint256 left = gasleft();
        (bool isOk,) = operation.sender.call(operation.callData);
        uint256 used = left - gasleft() + overhead;
        cost = used * tx.gasprice;
        balanceOf[operation.sender] -= cost;
        bytes32 id = keccak256(abi.encode(operation, block.chainid));
        emit UserOperationEvent(id, operation.sender, address(0), operation.nonce, isOk, cost, used);
    }
}

/// An account that the entry point alone may use.
contract SmartAccount {
    struct Call {
        address target;
        uint256 value;
        bytes data;
    }

    address private immutable entryPoint;

    constructor(address entryPoint_) {
        entryPoint = entryPoint_;
    }

    receive() external payable {}

    function executeBatch(Call[] calldata calls) external {
        require(msg.sender == entryPoint, "not the entry point");
        for (uint256 n = 0; n < calls.length; n++) {
            (bool isOk,) = calls[n].target.call{value: calls[n].value}(calls[n].data);
            require(isOk, "call failed");
        }
    }
}
