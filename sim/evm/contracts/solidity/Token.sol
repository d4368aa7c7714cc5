// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// An ERC-20 token. Anyone may mint it, since the world is its only user.
contract Token {
    bytes32 private immutable nameWord;
    bytes32 private immutable symbolWord;
    uint8 public immutable decimals;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(bytes32 name_, bytes32 symbol_, uint8 decimals_) {
        nameWord = name_;
        symbolWord = symbol_;
        decimals = decimals_;
    }

    function name() external view returns (string memory) {
        return textOf(nameWord);
    }

    function symbol() external view returns (string memory) {
        return textOf(symbolWord);
    }

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
        move(from, to, value);
        return true;
    }

    /// Sends the same amount to each of many addresses, as an airdrop does.
    function airdrop(address[] calldata to, uint256 value) external {
        for (uint256 n = 0; n < to.length; n++) move(msg.sender, to[n], value);
    }

    function move(address from, address to, uint256 value) private {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }

    function textOf(bytes32 word) private pure returns (string memory) {
        uint256 length = 0;
        while (length < 32 && word[length] != 0) length++;
        bytes memory text = new bytes(length);
        for (uint256 n = 0; n < length; n++) text[n] = word[n];
        return string(text);
    }
}
