// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import "./OutcomeTokens.sol";

/// Splits, merges, redeems and converts the shares of groups of questions as the neg-risk adapter of Polymarket does,
/// over wrapped dollars, and emits the same events. It keeps wrapped dollars that come back.
contract NegRiskAdapter is OutcomeTokens {
    Dollars private constant wrapped = Dollars(0x3A3BD7bb9528E159577F7C2e685CC81A765002E2);
    address private constant burnt = 0xa5Ef39C3D3e10d0B270233af41CaC69796B12966;

    mapping(bytes32 => uint256) public questionCount;

    event MarketPrepared(bytes32 indexed marketId, address indexed oracle, uint256 feeBips, bytes data);
    event QuestionPrepared(bytes32 indexed marketId, bytes32 indexed questionId, uint256 index, bytes data);
    event PositionSplit(address indexed stakeholder, bytes32 indexed conditionId, uint256 amount);
    event PositionsMerge(address indexed stakeholder, bytes32 indexed conditionId, uint256 amount);
    event PositionsConverted(
        address indexed stakeholder, bytes32 indexed marketId, uint256 indexed indexSet, uint256 amount
    );
    event PayoutRedemption(address indexed redeemer, bytes32 indexed conditionId, uint256[] amounts, uint256 payout);

    function prepareMarket(bytes32 market) external {
        emit MarketPrepared(market, msg.sender, 0, "");
    }

    function prepareQuestion(bytes32 market) external {
        uint256 index = questionCount[market]++;
        bytes32 question = questionOf(market, index);
        shares.prepareCondition(address(this), question, 2);
        emit QuestionPrepared(market, question, index, "");
    }

    function reportOutcome(bytes32 market, uint256 index, bool outcome) external {
        uint256[] memory payouts = new uint256[](2);
        payouts[outcome ? 0 : 1] = 1;
        shares.reportPayouts(questionOf(market, index), payouts);
    }

    function splitPosition(bytes32 condition, uint256 amount) external {
        dollars.transferFrom(msg.sender, address(this), amount);
        mintPair(condition, amount);
        shares.safeBatchTransferFrom(address(this), msg.sender, tokensOf(condition), both(amount, amount), "");
        emit PositionSplit(msg.sender, condition, amount);
    }

    function mergePositions(bytes32 condition, uint256 amount) external {
        shares.safeBatchTransferFrom(msg.sender, address(this), tokensOf(condition), both(amount, amount), "");
        shares.mergePositions(address(wrapped), bytes32(0), condition, pair(), amount);
        dollars.transfer(msg.sender, amount);
        emit PositionsMerge(msg.sender, condition, amount);
    }

    function redeemPositions(bytes32 condition, uint256[] calldata amounts) external {
        shares.safeBatchTransferFrom(msg.sender, address(this), tokensOf(condition), amounts, "");
        uint256 before = wrapped.balanceOf(address(this));
        shares.redeemPositions(address(wrapped), bytes32(0), condition, pair());
        uint256 payout = wrapped.balanceOf(address(this)) - before;
        dollars.transfer(msg.sender, payout);
        emit PayoutRedemption(msg.sender, condition, amounts, payout);
    }

    /// NO shares of the questions of the set become YES shares of the others, and a dollar for each but one.
    function convertPositions(bytes32 market, uint256 indexSet, uint256 amount) external {
        uint256 n_no = 0;
        for (uint256 index = 0; index < questionCount[market]; index++) {
            uint256[] memory tokens = tokensOf(conditionOf(market, index));
            if ((indexSet >> index) & 1 == 0) continue;
            shares.safeTransferFrom(msg.sender, burnt, tokens[1], amount, "");
            n_no++;
        }
        for (uint256 index = 0; index < questionCount[market]; index++) {
            if ((indexSet >> index) & 1 == 1) continue;
            bytes32 condition = conditionOf(market, index);
            uint256[] memory tokens = tokensOf(condition);
            mintPair(condition, amount);
            shares.safeTransferFrom(address(this), burnt, tokens[1], amount, "");
            shares.safeTransferFrom(address(this), msg.sender, tokens[0], amount, "");
        }
        dollars.transfer(msg.sender, (n_no - 1) * amount);
        emit PositionsConverted(msg.sender, market, indexSet, amount);
    }

    function mintPair(bytes32 condition, uint256 amount) private {
        wrapped.mint(address(this), amount);
        wrapped.approve(address(shares), amount);
        shares.splitPosition(address(wrapped), bytes32(0), condition, pair(), amount);
    }

    function tokensOf(bytes32 condition) private view returns (uint256[] memory tokens) {
        tokens = new uint256[](2);
        for (uint256 outcome = 0; outcome < 2; outcome++) {
            bytes32 collection = shares.getCollectionId(bytes32(0), condition, outcome + 1);
            tokens[outcome] = shares.getPositionId(address(wrapped), collection);
        }
    }

    function questionOf(bytes32 market, uint256 index) private pure returns (bytes32) {
        return bytes32(uint256(market) | index);
    }

    function conditionOf(bytes32 market, uint256 index) private view returns (bytes32) {
        return keccak256(abi.encodePacked(address(this), questionOf(market, index), uint256(2)));
    }

    function both(uint256 first, uint256 second) private pure returns (uint256[] memory values) {
        values = new uint256[](2);
        (values[0], values[1]) = (first, second);
    }
}
