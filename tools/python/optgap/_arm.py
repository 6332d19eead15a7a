"""Arms: instances of the caller's own, told by Python functions."""
# mypy: ignore-errors

from numbers import Rational
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

HEAD = "node\toutcome\tprobability\tnext\tvalue\treward"
NAME_BYTES = 63


def number_text(number, place):
    """A number for the library's reader: a fraction as such, others with 17 digits."""
    if isinstance(number, Rational):
        return f"{number.numerator}/{number.denominator}"
    if not hasattr(number, "__float__"):
        raise ValueError(f"arm: {place} must be a number, not {number!r}")
    return f"{float(number):.17g}"


def is_name(text):
    return 0 < len(text.encode(errors="replace")) <= NAME_BYTES and text.isprintable()


class Arm:
    """An instance of the caller's own; made by optgap.arm. Nodes have numbers in the order in which they are found."""

    nodes: "list[Any]"

    def __init__(self, root, outcomes, value):
        self._outcomes = outcomes
        self._value = value if callable(value) else lambda node: value
        self.nodes, self._numbers, self._names, self._taken = [], {}, [], set()
        self._rows = []  # of the nodes that were asked: [(outcome, probability, next, reward)]
        self._values = []  # in words
        self._find(root)
        self._reached = [1]  # nodes that at most so many labels reach

    def __repr__(self):
        return f"<arm: root {self.nodes[0]!r}>"

    def _find(self, node):
        """The node's number."""
        number = self._numbers.get(node)
        if number is None:
            number = self._numbers[node] = len(self.nodes)
            name = str(node)
            if not is_name(name) or name in self._taken:
                name = f"#{number}"
                while name in self._taken:
                    name += "'"
            self._taken.add(name)
            self.nodes.append(node)
            self._names.append(name)
            self._values.append(None)
        return number

    def _ask(self, number):
        """Asks for the outcomes of a node."""
        node = self.nodes[number]
        told = self._outcomes(node)
        named = told.items() if isinstance(told, dict) else ((str(k), one) for k, one in enumerate(told or (), 1))
        rows = []
        for name, outcome in named:
            if not isinstance(name, str) or not is_name(name):
                raise ValueError(f"arm: node {node!r}: the name of an outcome must be a text of at most {NAME_BYTES} bytes "
                                 f"that can be printed, not {name!r}")
            if not isinstance(outcome, (tuple, list)) or len(outcome) not in (2, 3):
                raise ValueError(f"arm: node {node!r}: an outcome is (probability, next node) or (probability, next node, "
                                f"reward), not {outcome!r}")
            probability, after, *reward = outcome
            rows.append((name, number_text(probability, f"node {node!r}: a probability"), self._find(after),
                         number_text(reward[0], f"node {node!r}: a reward") if reward else ""))
        self._rows.append(rows)

    def table(self, labels):
        """The text of the arm file (arm:FILE) for so many labels; nodes that the last label reaches have no outcomes."""
        while len(self._reached) <= labels and len(self._rows) < len(self.nodes):
            while len(self._rows) < self._reached[-1]:
                self._ask(len(self._rows))
            self._reached.append(len(self.nodes))
        labels = min(labels, len(self._reached) - 1)
        asked = self._reached[labels - 1] if labels > 0 else 0
        lines = [HEAD]
        for number in range(self._reached[labels]):
            if self._values[number] is None:
                node = self.nodes[number]
                self._values[number] = number_text(self._value(node), f"node {node!r}: the value")
            name, value = self._names[number], self._values[number]
            rows = self._rows[number] if number < asked else ()
            lines += [f"{name}\t{outcome}\t{p}\t{self._names[after]}\t{value}\t{reward}" for outcome, p, after, reward in rows]
            if not rows:
                lines.append(f"{name}\t\t\t\t{value}\t")
        return "\n".join(lines) + "\n"


def arm(root: "Any", outcomes: "Any", value: "Any" = 0) -> "Arm":
    """Makes an instance of your own, for processes that no prior describes: give it among the instances of a question.

    Parameters
    ----------
    root : hashable
        The first node, hashable, as all nodes.
    outcomes : callable
        outcomes(node), called once for each node that fewer labels than the budget reach, returns what a label may bring:
        a list of tuples (probability, next node) or (probability, next node, reward), or a dict {name: such a tuple}; the
        probabilities add up to 1. An empty list: labels change nothing any more.
    value : number or callable
        value(node), or a number: the worth of the instance if labelling ends at this node. With int and Fraction,
        exact=True is supported, and what is 0 or equal in theory is so here; floats have rounding errors.

    Returns
    -------
    Arm
        arm.nodes lists the nodes by the numbers that policies see, arm.table(T) is the text of the arm file. A node's
        text is its name where it is short and unlike others. Indices that look beyond the budget see no further.

    Examples
    --------
    >>> from fractions import Fraction
    >>> import optgap
    >>> def judge(ahead):  # is right three times of four; ends with three more votes of one kind
    ...     yes = Fraction(3**(ahead + 3), 3**3 + 3**(ahead + 3))  # probability of the first class
    ...     p = (1 + 2 * yes) / 4
    ...     return {"yes": (p, ahead + 1), "no": (1 - p, ahead - 1)} if abs(ahead) < 3 else []
    >>> asked = optgap.arm(0, judge, value=lambda ahead: Fraction(3**abs(ahead), 1 + 3**abs(ahead)))
    >>> optgap.compare(5, [(2, asked), "1,1"], policies=["kg", "gittins-fh"], exact=True).value
    Fraction(75, 32)
    """
    return Arm(root, outcomes, value)
