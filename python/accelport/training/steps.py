"""Which steps were checked, and which were not."""

from __future__ import annotations

from typing import Any

_MOST_RANGES = 20


class Steps:
    """Steps are counted from 0. Of `every` steps the last one is checked, so that no fault is older than that."""

    def __init__(self, every: int) -> None:
        self.every = every
        self.now = -1
        self.checked = False
        self.checked_count = 0
        self.written_unchecked = False
        self._unchecked: list[list[int]] = []

    def begin(self) -> bool:
        """The next step; whether it is to be checked."""
        self.now += 1
        self.checked = (self.now + 1) % self.every == 0
        self.written_unchecked = not self.checked
        if self.checked:
            self.checked_count += 1
        elif self._unchecked and self._unchecked[-1][1] == self.now - 1:
            self._unchecked[-1][1] = self.now
        else:
            self._unchecked.append([self.now, self.now])
            del self._unchecked[:-_MOST_RANGES]
        return self.checked

    def as_json(self) -> dict[str, Any]:
        """Of unchecked steps the last ranges, first and last step of each."""
        return {
            "step": self.now,
            "every": self.every,
            "checked_steps": self.checked_count,
            "unchecked_steps": self.now + 1 - self.checked_count,
            "last_unchecked": [list(one) for one in self._unchecked],
        }
