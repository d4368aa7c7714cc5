// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import "./OutcomeTokens.sol";

/// The parts of an order that are filled. Assets are ids of outcome tokens; 0 is dollars. The fee is in what it gets.
struct Order {
    bytes32 id;
    address maker;
    uint256 gives;
    uint256 gets;
    uint256 making;
    uint256 taking;
    uint256 fee;
}

/// Settles matches as the exchange V1 of Polymarket does, and emits the same events. Orders have no signature, since
/// the world is the only user.
contract ExchangeV1 is OutcomeTokens {
    event OrderFilled(
        bytes32 indexed orderHash,
        address indexed maker,
        address indexed taker,
        uint256 makerAssetId,
        uint256 takerAssetId,
        uint256 makerAmountFilled,
        uint256 takerAmountFilled,
        uint256 fee
    );
    event OrdersMatched(
        bytes32 indexed takerOrderHash,
        address indexed takerOrderMaker,
        uint256 makerAssetId,
        uint256 takerAssetId,
        uint256 makerAmountFilled,
        uint256 takerAmountFilled
    );
    event FeeCharged(address indexed receiver, uint256 tokenId, uint256 amount);

    /// The taker gets all that its makers gave, and what it gave too much.
    function matchOrders(bytes32 condition, Order calldata taker, Order[] calldata makers) external {
        pull(taker.maker, taker.gives, taker.making);
        for (uint256 n = 0; n < makers.length; n++) fillMaker(condition, taker, makers[n]);
        uint256 taking = held(taker.gets);
        charge(taker.gets, taker.fee);
        pay(taker.maker, taker.gets, taking - taker.fee);
        uint256 left = held(taker.gives);
        if (left > 0) pay(taker.maker, taker.gives, left);
        emit OrderFilled(taker.id, taker.maker, address(this), taker.gives, taker.gets, taker.making, taking, taker.fee);
        emit OrdersMatched(taker.id, taker.maker, taker.gives, taker.gets, taker.making, taking);
    }

    /// Two purchases mint a pair of shares, two sales merge one.
    function fillMaker(bytes32 condition, Order calldata taker, Order calldata maker) private {
        pull(maker.maker, maker.gives, maker.making);
        if (taker.gives == 0 && maker.gives == 0) {
            dollars.approve(address(shares), maker.taking);
            shares.splitPosition(address(dollars), bytes32(0), condition, pair(), maker.taking);
        } else if (taker.gets == 0 && maker.gets == 0) {
            shares.mergePositions(address(dollars), bytes32(0), condition, pair(), maker.making);
        }
        charge(maker.gets, maker.fee);
        pay(maker.maker, maker.gets, maker.taking - maker.fee);
        emit OrderFilled(
            maker.id, maker.maker, taker.maker, maker.gives, maker.gets, maker.making, maker.taking, maker.fee
        );
    }

    function charge(uint256 asset, uint256 fee) private {
        if (fee == 0) return;
        pay(msg.sender, asset, fee);
        emit FeeCharged(msg.sender, asset, fee);
    }

    function held(uint256 asset) private view returns (uint256) {
        return asset == 0 ? dollars.balanceOf(address(this)) : shares.balanceOf(address(this), asset);
    }

    function pull(address from, uint256 asset, uint256 value) private {
        if (asset == 0) dollars.transferFrom(from, address(this), value);
        else shares.safeTransferFrom(from, address(this), asset, value, "");
    }

    function pay(address to, uint256 asset, uint256 value) private {
        if (asset == 0) dollars.transfer(to, value);
        else shares.safeTransferFrom(address(this), to, asset, value, "");
    }
}

/// Matches orders at the exchange, and gives back what they were charged above their fee.
contract FeeModule is OutcomeTokens {
    ExchangeV1 private constant exchange = ExchangeV1(0x4bFb41d5B3570DeFd03C39a9A4D8dE6Bd8B8982E);

    event FeeRefunded(bytes32 indexed orderHash, address indexed to, uint256 id, uint256 refund, uint256 indexed feeCharged);

    /// The first refund is the taker's, the others are those of its makers.
    function matchOrders(bytes32 condition, Order calldata taker, Order[] calldata makers, uint256[] calldata refunds)
        external
    {
        exchange.matchOrders(condition, taker, makers);
        refund(taker, refunds[0]);
        for (uint256 n = 0; n < makers.length; n++) refund(makers[n], refunds[n + 1]);
    }

    function refund(Order calldata order, uint256 value) private {
        if (value == 0) return;
        if (order.gets == 0) dollars.transfer(order.maker, value);
        else shares.safeTransferFrom(address(this), order.maker, order.gets, value, "");
        emit FeeRefunded(order.id, order.maker, order.gets, value, order.fee - value);
    }
}
