"""Cards as integers 0..51 and as text.

`card // 4` is the rank (0 an ace, 1 a two, ... 9 a ten, 10 J, 11 Q, 12 K), `card % 4` the suit (clubs, diamonds,
hearts, spades). As text a card is a rank and a suit: `AS`, `TH` (or `10H`), `5C`, or with the suit's sign as pictures
print it: `A♠`, `10♥`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pontoon_gym.errors import BadCards, native

RANKS = "A23456789TJQK"
SUITS = "CDHS"
SIGNS = "♣♦♥♠"
"""The suits as pictures print them."""
PACK = 52
MOST_SHOE = 9 * PACK
"""Cards of the largest shoe: eight packs and a second one (1.1)."""
MOST_ENDLESS = 224
"""Cards of the largest shoe that is drawn from with replacement: the ring that holds it (`engine.state.RING`) needs
room for the cards of the longest round too."""
TEN, KING = 9, 12


def card_text(card: int) -> str:
    """The text of a card: `card_text(3)` is `"AS"`."""
    return RANKS[card // 4] + SUITS[card % 4]


def card_sign(card: int) -> str:
    """The text of a card with its suit's sign: `card_sign(38)` is `"10♥"`."""
    return RANKS[card // 4].replace("T", "10") + SIGNS[card % 4]


_LETTERS = {**str.maketrans(SIGNS, SUITS), 0xFE0F: None}
"""Letters for signs; keyboards may add a mark to a sign that it be shown as a picture."""


def parse_card(text: str) -> int:
    """The card that a text names, in capitals or not, its suit a letter or a sign. Raises `BadCards`."""
    name = text.strip().upper().translate(_LETTERS)
    rank, suit = name[:-1].replace("10", "T"), name[-1:]
    if len(rank) != 1 or rank not in RANKS or not suit or suit not in SUITS:
        raise BadCards("no such card", got=text, allowed=f"a rank of {RANKS} (or 10) and a suit of {SUITS}, as AS")
    return RANKS.index(rank) * 4 + SUITS.index(suit)


def parse_cards(cards: str | Iterable[str]) -> list[int]:
    """The cards of a text such as `"5S 9C 6D"`, or of a sequence of such names."""
    if not isinstance(cards, str | list | tuple):
        raise BadCards("cards must be a text or a list of names", got=cards)
    names = cards.split() if isinstance(cards, str) else cards
    return [parse_card(str(name)) for name in names]


def parse_shoe(counts: Mapping[str, int]) -> list[int]:
    """The cards of a shoe given as counts of ranks, `{"A": 4, "10": 2}`; suits are dealt out in turn.

    Raises `BadCards` for a rank that does not exist or a count below 0.
    """
    if not isinstance(counts, Mapping):
        raise BadCards("a shoe must be counts of ranks", got=counts, allowed='a mapping such as {"A": 4, "K": 2}')
    cards: list[int] = []
    for name, count in counts.items():
        rank = str(name).strip().upper().replace("10", "T")
        if len(rank) != 1 or rank not in RANKS:
            raise BadCards("no such rank in a shoe", got=name, allowed=f"{' '.join(RANKS)}")
        number = native(count)
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= MOST_SHOE:
            raise BadCards(f"bad count of rank {rank} in a shoe", got=count, allowed=f"0 to {MOST_SHOE}")
        cards += [RANKS.index(rank) * 4 + i % 4 for i in range(number)]
    return sorted(cards)
