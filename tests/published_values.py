"""Kernel values that independent programs agree on."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

TWO_FIFTHS = Fraction(2, 5)

COLUMNS: list[tuple[str, dict[str, Any]]] = [
    ("subtree", {"decay": TWO_FIFTHS}),
    ("subset", {"decay": TWO_FIFTHS}),
    ("subset", {"decay": TWO_FIFTHS, "leaf_weight": TWO_FIFTHS}),
    ("partial", {"decay": TWO_FIFTHS, "vertical_decay": TWO_FIFTHS, "gaps": "skipped"}),
    ("partial", {"decay": TWO_FIFTHS, "vertical_decay": TWO_FIFTHS, "gaps": "span"}),
]

# Two trees, and per column K(a,b), K(a,a), K(b,b), as computed by other software.
ROWS: list[tuple[str, str, list[tuple[float, float, float]]]] = [
    (
        "(S (NP (D the)(N dog))(VP (V barks)))",
        "(S (NP (D the)(N cat))(VP (V barks)))",
        [
            (0.96, 1.428096, 1.428096),
            (2.89344, 3.657216, 3.657216),
            (3.69344, 4.857216, 4.857216),
            (0.758904439439, 0.864570531119, 0.864570531119),
            (0.542114506206, 0.610492651866, 0.610492651866),
        ],
    ),
    (
        "(A (B b)(C c))",
        "(A (B b)(C d))",
        [
            (0.4, 0.864, 0.864),
            (0.96, 1.584, 1.584),
            (1.36, 2.384, 2.384),
            (0.34533376, 0.446091264, 0.446091264),
            (0.268594771395, 0.336955771548, 0.336955771548),
        ],
    ),
    (
        "(A (B b)(C c))",
        "(A (C c)(B b))",
        [
            (0.8, 0.864, 0.864),
            (0.8, 1.584, 1.584),
            (1.6, 2.384, 2.384),
            (0.44288, 0.446091264, 0.446091264),
            (0.336908288, 0.336955771548, 0.336955771548),
        ],
    ),
    (
        "(N dog)",
        "(N cat)",
        [
            (0, 0.4, 0.4),
            (0, 0.4, 0.4),
            (0, 0.8, 0.8),
            (0.064, 0.1536, 0.1536),
            (0.064, 0.132096, 0.132096),
        ],
    ),
    (
        "(S (NP (NP (D a)(N b))(PP (P of)(NP (N c))))(VP (V v)))",
        "(S (NP (D a)(N b))(VP (V v)(NP (NP (D a)(N b))(PP (P of)(NP (N c))))))",
        [
            (3.11425536, 2.41029730304, 4.84236290195),
            (7.53860096, 7.57288955904, 13.2628244732),
            (10.33860096, 9.57288955904, 17.6628244732),
            (2.7937711715, 2.18325166082, 4.05377592074),
            (2.14186936026, 1.60942376789, 3.01749803153),
        ],
    ),
    (
        "(A (B x)(B x)(B x))",
        "(A (B x)(B x))",
        [
            (2.4, 3.6256, 1.664),
            (2.4, 4.6976, 2.384),
            (4.8, 8.2976, 3.984),
            (1.2083470336, 1.78774460989, 0.824971264),
            (0.882838824515, 1.29236131859, 0.609864059548),
        ],
    ),
]
