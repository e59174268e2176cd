"""The list of mistakes is of this version: each can still be made, in one place."""

from __future__ import annotations

import pytest

from mutations import MUTATIONS, Mutation
from mutations.mutation import ROOT


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_mistake_can_be_made_in_one_place(mutation: Mutation) -> None:
    path = ROOT / mutation.file
    assert path.is_file(), f"its text is not in one file of {mutation.file}"
    assert path.read_text(encoding="utf-8").count(mutation.text) == 1
    for test in mutation.tests:
        assert (ROOT / test.partition("::")[0]).exists(), test
