-- The venue's own contracts, which appear in its feeds beside traders: exchanges, adapters, the contracts of the
-- outcome tokens. Source: Polymarket's contract list, lower-case.
-- columns: address; label
from (
  values
    ('0x4d97dcd97ec945f40cf65f87097ace5ea0476045', 'conditional tokens'),
    ('0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e', 'exchange v1'),
    ('0xc5d563a36ae78145c45a50134d48a1215220f80a', 'neg-risk exchange v1'),
    ('0xe111180000d2663c0091e4f400237545b87b996b', 'exchange v2'),
    ('0xe2222d279d744050d28e00520010520000310f59', 'neg-risk exchange v2'),
    ('0xe2222d002000ba0053cef3375333610f64600036', 'neg-risk exchange v2 b'),
    ('0xe3333700ca9d93003f00f0f71f8515005f6c00aa', 'exchange v3'),
    ('0xd91e80cf2e7be2e162c6513ced06f1dd0da35296', 'neg-risk adapter'),
    ('0x71523d0f655b41e805cec45b17163f528b59b820', 'neg-risk operator'),
    ('0x3a3bd7bb9528e159577f7c2e685cc81a765002e2', 'wrapped collateral'),
    ('0x006f54f7f9a22e0000cc2ab60031000000ae9fef', 'position manager'),
    ('0xa1200000d0002264c9a1698e001292d00e1b00af', 'auto redeemer')
) as t (address, label)
