// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

interface IWrapped {
    function deposit() external payable;
    function withdraw(uint256 value) external;
}

interface ISold {
    function approve(address spender, uint256 value) external returns (bool);
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

interface IPairs {
    function swapExactTokensForTokens(
        uint256 amountIn,
        uint256 amountOutMin,
        address[] calldata path,
        address to,
        uint256 deadline
    ) external returns (uint256[] memory);
}

/// A router that trades for the native coin and keeps a fee of it, and that fills orders of makers. No log shows what it
/// keeps and pays.
contract NativeRouter {
    event Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce);

    /// The fee, in ten-thousandths.
    uint256 private constant fee = 85;
    address private immutable wrapped;
    address private immutable pairs;
    address payable private immutable keeper;

    constructor(address wrappedCoin, address v2Router, address payable feeKeeper) {
        wrapped = wrappedCoin;
        pairs = v2Router;
        keeper = feeKeeper;
    }

    receive() external payable {}

    /// Sells a token for the native coin, less the fee.
    function sell(uint256 amountIn, address[] calldata path) external {
        uint256 coins = unwrapped(msg.sender, amountIn, path);
        uint256 kept = coins * fee / 10000;
        pay(keeper, kept);
        pay(payable(msg.sender), coins - kept);
    }

    /// Buys a token for some of the coins sent. The fee stays here, and the rest comes back.
    function buy(uint256 spent, address[] calldata path) external payable {
        uint256 kept = spent * fee / 10000;
        IWrapped(wrapped).deposit{value: spent - kept}();
        ISold(wrapped).approve(pairs, spent - kept);
        IPairs(pairs).swapExactTokensForTokens(spent - kept, 0, path, msg.sender, block.timestamp);
        pay(payable(msg.sender), msg.value - spent);
    }

    /// Sells the token of a maker for it. The filler keeps what the maker does not ask for.
    function fill(address payable maker, uint256 amountIn, address[] calldata path, uint256 asked) external {
        uint256 coins = unwrapped(maker, amountIn, path);
        pay(maker, asked);
        pay(payable(msg.sender), coins - asked);
        emit Fill(keccak256(abi.encode(maker, amountIn)), msg.sender, maker, 0);
    }

    function unwrapped(address owner, uint256 amountIn, address[] calldata path) private returns (uint256 coins) {
        ISold(path[0]).transferFrom(owner, address(this), amountIn);
        ISold(path[0]).approve(pairs, amountIn);
        uint256[] memory amounts =
            IPairs(pairs).swapExactTokensForTokens(amountIn, 0, path, address(this), block.timestamp);
        coins = amounts[amounts.length - 1];
        IWrapped(wrapped).withdraw(coins);
    }

    function pay(address payable to, uint256 amount) private {
        (bool isPaid,) = to.call{value: amount}("");
        require(isPaid, "unpaid");
    }
}
