// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

interface IERC20 {
    function balanceOf(address owner) external view returns (uint256);
    function approve(address spender, uint256 value) external returns (bool);
    function transfer(address to, uint256 value) external returns (bool);
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

interface IV2Router {
    function swapExactTokensForTokens(
        uint256 amountIn,
        uint256 amountOutMin,
        address[] calldata path,
        address to,
        uint256 deadline
    ) external returns (uint256[] memory);
}

interface IV3Router {
    struct ExactInputSingleParams {
        address tokenIn;
        address tokenOut;
        uint24 fee;
        address recipient;
        uint256 deadline;
        uint256 amountIn;
        uint256 amountOutMinimum;
        uint160 sqrtPriceLimitX96;
    }

    function exactInputSingle(ExactInputSingleParams calldata params) external payable returns (uint256);
}

/// Swaps through several pools in one transaction: a route of hops, each with a share of what the contract holds.
contract Aggregator {
    struct Hop {
        /// 0: a pool of Uniswap V2. Otherwise the fee of a pool of Uniswap V3.
        uint24 fee;
        address tokenIn;
        address tokenOut;
        /// The share of the balance that goes this way, in ten-thousandths.
        uint256 share;
    }

    address private immutable v2;
    address private immutable v3;

    constructor(address v2Router, address v3Router) {
        v2 = v2Router;
        v3 = v3Router;
    }

    function swap(address tokenIn, uint256 amountIn, address tokenOut, uint256 amountOutMin, Hop[] calldata hops)
        external
        returns (uint256 amountOut)
    {
        IERC20(tokenIn).transferFrom(msg.sender, address(this), amountIn);
        for (uint256 n = 0; n < hops.length; n++) pass(hops[n]);
        amountOut = IERC20(tokenOut).balanceOf(address(this));
        require(amountOut >= amountOutMin, "too little");
        IERC20(tokenOut).transfer(msg.sender, amountOut);
    }

    function pass(Hop calldata hop) private {
        uint256 amount = IERC20(hop.tokenIn).balanceOf(address(this)) * hop.share / 10000;
        IERC20(hop.tokenIn).approve(hop.fee == 0 ? v2 : v3, amount);
        if (hop.fee == 0) {
            address[] memory path = new address[](2);
            (path[0], path[1]) = (hop.tokenIn, hop.tokenOut);
            IV2Router(v2).swapExactTokensForTokens(amount, 0, path, address(this), block.timestamp);
        } else {
            IV3Router(v3).exactInputSingle(
                IV3Router.ExactInputSingleParams(
                    hop.tokenIn, hop.tokenOut, hop.fee, address(this), block.timestamp, amount, 0, 0
                )
            );
        }
    }
}
