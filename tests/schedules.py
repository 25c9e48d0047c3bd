"""Every order in which actors can take their steps. A step is one I/O operation; between two of them anybody may act.

Actors are coroutines (greenlets) that stop before each operation, so that one thread decides who goes next. Two
prefixes of a schedule that leave the same shared state, and in which each actor has seen the same answers, have the
same future: only one of them is continued. With that pruning the enumeration is exhaustive, not a sample.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from greenlet import getcurrent, greenlet

from include.ports import IndexStore


class Actor:
    """Somebody who works in steps. What it does to the outside goes through `stepped` and `stepped_store`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.next_operation = ""
        self.answers: list[str] = []
        self.error: BaseException | None = None
        self._body: greenlet | None = None

    def start(self, work: Callable[[], object]) -> None:
        """Run to the first operation."""

        def body() -> None:
            try:
                work()
            except Exception as error:  # noqa: BLE001 (kept for the test to look at)
                self.error = error

        self._body = greenlet(body)
        self.step()

    @property
    def finished(self) -> bool:
        return self._body is not None and self._body.dead

    def step(self) -> None:
        """Do the operation it waits before, and go on to the next."""
        assert self._body is not None
        self._body.parent = getcurrent()
        self._body.switch()

    def kill(self) -> None:
        """Stop for ever before the next operation, as a killed process would: nothing of its own runs any more."""
        if self._body is not None and not self._body.dead:
            self._body.throw()

    def perform(self, operation: str, call: Callable[[], Any]) -> Any:
        self.next_operation = operation
        getcurrent().parent.switch()
        answer = call()
        if isinstance(answer, Iterator):
            answer = list(answer)
        self.answers.append(_digest(answer))
        return answer


def _digest(answer: object) -> str:
    """What tells two answers apart. Of vectors it is only which there are: their texts say the rest."""
    if isinstance(answer, Mapping) and any(isinstance(value, np.ndarray) for value in answer.values()):
        return repr(list(answer))
    return repr(answer)


class Stepped:
    """Any adapter; each call of a method is a step of the actor."""

    def __init__(self, actor: Actor, adapter: object) -> None:
        self._actor = actor
        self._adapter = adapter

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._adapter, name)
        if not callable(attribute):
            return attribute
        return lambda *args, **kwargs: self._actor.perform(name, lambda: attribute(*args, **kwargs))


class SteppedStore:
    """IndexStore whose sessions are stepped. Sessions of several actors overlap, as on a server."""

    def __init__(self, actor: Actor, store: IndexStore) -> None:
        self._actor = actor
        self._store = store
        self.location = store.location

    def prepare(self, embedder_id: str, dimension: int) -> None:
        self._store.prepare(embedder_id, dimension)

    @contextmanager
    def reading(self) -> Iterator[Any]:
        with self._store.reading() as session:
            yield Stepped(self._actor, session)

    @contextmanager
    def writing(self) -> Iterator[Any]:
        with self._store.writing() as session:
            yield Stepped(self._actor, session)


class World(Protocol):
    """The shared state with its actors, made anew for each schedule."""

    @property
    def actors(self) -> Sequence[Actor]: ...

    def state(self) -> object:
        """Everything shared, and everything `check` remembers: hashable."""
        ...

    def check(self) -> None:
        """Raises AssertionError when what must hold at every instant does not."""
        ...

    def check_end(self) -> None:
        """The same for the moment when every actor has finished."""
        ...

    def recover(self) -> None:
        """What happens next after an actor was killed."""
        ...


@dataclass
class Explored:
    """How much was seen. `ends` are different final situations, `longest` the steps of the longest schedule."""

    schedules: int = 0
    situations: int = 0
    ends: int = 0
    longest: int = 0


def explore(make: Callable[[], World]) -> Explored:
    """Every schedule of every actor to its end. Raises AssertionError naming the steps that led to a violation."""
    explored = Explored()
    seen: set[object] = set()
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        prefix = waiting.pop()
        run = _Run(make())
        for chosen in prefix:
            run.step(chosen)
        explored.schedules += 1
        while True:
            situation = run.situation()
            if situation in seen:
                break
            seen.add(situation)
            run.check()
            runnable = run.runnable()
            if not runnable:
                run.check_end()
                explored.ends += 1
                break
            waiting.extend((*run.chosen, other) for other in runnable[1:])
            run.step(runnable[0])
        explored.longest = max(explored.longest, len(run.chosen))
        run.end()
    explored.situations = len(seen)
    return explored


def explore_at_random(make: Callable[[], World], *, schedules: int, seed: int, deadly: bool = False) -> Explored:
    """So many schedules drawn at random, each to its end. `deadly`: one actor is killed on the way, between two steps,
    and the end is looked at after the world has recovered."""
    dice = random.Random(seed)
    explored = Explored(schedules=schedules)
    ends: set[object] = set()
    for _ in range(schedules):
        run = _Run(make())
        # One actor at a time is favoured for a while: uniform choices hardly ever let one run far ahead.
        favoured = 0
        doomed = dice.randrange(len(run.world.actors)) if deadly else None
        while runnable := run.runnable():
            if favoured not in runnable or dice.random() < 0.3:
                favoured = dice.choice(runnable)
            if favoured == doomed and dice.random() < 0.1:
                run.kill(favoured)
            else:
                run.step(favoured)
            run.check()
            explored.situations += 1
        if deadly:
            run.world.recover()
        run.check_end()
        ends.add(run.situation())
        explored.longest = max(explored.longest, len(run.chosen))
    explored.ends = len(ends)
    return explored


@dataclass
class _Run:
    world: World
    chosen: list[int] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)

    def runnable(self) -> list[int]:
        return [number for number, actor in enumerate(self.world.actors) if not actor.finished]

    def step(self, number: int) -> None:
        actor = self.world.actors[number]
        self.chosen.append(number)
        self.steps.append(f"{actor.name}: {actor.next_operation}")
        actor.step()

    def kill(self, number: int) -> None:
        actor = self.world.actors[number]
        self.steps.append(f"{actor.name} is killed before: {actor.next_operation}")
        actor.kill()

    def situation(self) -> object:
        return (self.world.state(), *(hash((*actor.answers, actor.finished)) for actor in self.world.actors))

    def check(self) -> None:
        self._explained(self.world.check)

    def check_end(self) -> None:
        self._explained(self.world.check_end)

    def end(self) -> None:
        for actor in self.world.actors:
            actor.kill()

    def _explained(self, check: Callable[[], None]) -> None:
        try:
            check()
        except AssertionError as error:
            self.end()
            raise AssertionError("\n".join([*self.steps, f"-> {error}"])) from error
