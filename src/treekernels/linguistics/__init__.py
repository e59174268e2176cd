"""What linguists know of sentences: heads, roles, lemmas, and which words of two are the same."""

from treekernels.linguistics.anchoring import anchor
from treekernels.linguistics.heads import penn_head
from treekernels.linguistics.roles import role_features
from treekernels.linguistics.words import Word, WordWeights, english_lemma, lexical_overlap

__all__ = [
    "Word",
    "WordWeights",
    "anchor",
    "english_lemma",
    "lexical_overlap",
    "penn_head",
    "role_features",
]
