"""
How diverse is a corpus?
========================

Texts of a machine are often blamed for saying everything in the same way. ``tk.metrics`` measures
that on the syntax alone: how different sentences are from each other, how many different ones there
are in effect, and how alike two documents are. Here sentences are drawn from a small grammar, by a
writer who uses all of it and by one who prefers some rules.
"""

import random

import treekernels as tk
from treekernels.structures import map_leaves

rng = random.Random(0)
GRAMMAR = {
    "S": ["NP VP", "ADVP NP VP", "NP VP PP", "SBAR NP VP"],
    "NP": ["NN", "DT NN", "DT JJ NN", "NP PP"],
    "VP": ["VBZ", "VBZ NP", "VBZ SBAR"],
    "PP": ["IN NP"],
    "SBAR": ["IN S"],
    "ADVP": ["RB"],
}


def sentence(habit: float, symbol: str = "S", depth: int = 0) -> str:
    """Draw a sentence; with a habit, the first rule of a symbol is taken more often."""
    if symbol not in GRAMMAR:
        return f"({symbol} {rng.choice('abcdefgh')})"
    rules = GRAMMAR[symbol]
    rule = rules[0] if depth > 4 or rng.random() < habit else rng.choice(rules)
    return f"({symbol} {' '.join(sentence(habit, s, depth + 1) for s in rule.split())})"


free = tk.Forest([sentence(0.0) for _ in range(300)])
stiff = tk.Forest([sentence(0.7) for _ in range(300)])

# %%
# Both corpora have as many sentences and the same words. All words become the same one first,
# since they say nothing about syntax. The Vendi score is the number of different sentences that
# would be as diverse.
for name, corpus in (("all rules", free), ("a habit", stiff)):
    shapes = map_leaves(corpus, lambda word: "word")
    diversity = tk.metrics.syntactic_diversity(shapes)
    score = tk.metrics.vendi_score(shapes)
    print(f"{name}: diversity {diversity:.2f}, like {score:.0f} different sentences")

# %%
# Documents of the same writer are more alike than those of two writers, sentence by sentence.
one, two = stiff[:30], stiff[30:60]
print(f"the same writer: {tk.metrics.syntactic_similarity(one, two):.2f}")
print(f"another writer: {tk.metrics.syntactic_similarity(one, free[:30]):.2f}")
