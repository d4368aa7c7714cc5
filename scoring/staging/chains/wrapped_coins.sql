-- The contract of the wrapped native coin of a chain. Its movements count as those of the native coin. A chain that is
-- not listed has none: there, wraps are not movements.
-- columns: chain; wrapped
from (
  values
    ('ethereum', '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'),
    ('base', '0x4200000000000000000000000000000000000006'),
    ('optimism', '0x4200000000000000000000000000000000000006'),
    ('arbitrum', '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'),
    ('polygon', '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270'),
    ('gnosis', '0xe91d153e0b41518a2ce8dd3d7944fa863463a97d'),
    ('bsc', '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c')
) as t (chain, wrapped)
