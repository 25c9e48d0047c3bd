"""Keys and rates: who has a key now, since when, and how often."""

from __future__ import annotations

import pytest

from include.api.keys import BELIEVED_SECONDS, LOOKED_UP_AGAIN_SECONDS, Keyring, read_keys
from include.api.rates import Buckets
from include.domain.errors import ConfigError

OLD, NEW, OTHER = "an-old-key-of-someone-0000", "a-new-key-of-someone-00000", "a-key-of-somebody-else-000"


class Vault:
    """Where the keys are kept; out of order where it is told to."""

    def __init__(self, text: str) -> None:
        self.text, self.asked, self.is_down = text, 0, False
        self.now = 1_000.0

    def __call__(self) -> str:
        self.asked += 1
        if self.is_down:
            raise OSError("the vault does not answer")
        return self.text

    def ring(self) -> Keyring:
        return Keyring(self, clock=lambda: self.now)


def test_a_key_is_known_by_the_name_of_its_holder_whatever_stands_between() -> None:
    ring = Vault(f" assistant:{OLD}\n assistant:{NEW}, support:{OTHER}\n").ring()
    assert [ring.holder(key) for key in (OLD, NEW, OTHER)] == ["assistant", "assistant", "support"]
    for key in ("", OLD[:-1], f"{OLD} ", OLD.upper(), "assistant", f"assistant:{OLD}", "é" * 30, "\udcff" * 30):
        assert ring.holder(key) is None


@pytest.mark.parametrize(
    "text", [OLD, f":{OLD}", "assistant:", "assistant:short-key", f"Big Name:{OLD}", f"a:{OLD} b:{OLD}", f"a;{OLD}"]
)
def test_what_is_no_list_of_keys_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(ConfigError) as raised:
        read_keys(text)
    assert OLD not in str(raised.value)
    assert "short-key" not in str(raised.value)


def test_no_key_is_kept_in_memory_as_it_is() -> None:
    ring = Vault(f"assistant:{OLD}").ring()
    assert OLD not in repr(vars(ring))


def test_a_new_key_counts_and_a_withdrawn_one_does_not_after_half_a_minute() -> None:
    vault = Vault(f"assistant:{OLD}")
    ring = vault.ring()
    vault.text = f"assistant:{NEW}"
    ring.refresh()
    assert (ring.holder(OLD), vault.asked) == ("assistant", 1)
    vault.now += LOOKED_UP_AGAIN_SECONDS + 1
    ring.refresh()
    assert (ring.holder(OLD), ring.holder(NEW)) == (None, "assistant")


def test_a_vault_that_is_down_takes_nobody_with_it_for_a_while_but_not_for_ever() -> None:
    vault = Vault(f"assistant:{OLD}")
    ring = vault.ring()
    vault.is_down = True
    for _ in range(3):
        vault.now += LOOKED_UP_AGAIN_SECONDS + 1
        ring.refresh()
        assert ring.holder(OLD) == "assistant"
    vault.now += BELIEVED_SECONDS
    ring.refresh()
    assert ring.holder(OLD) is None
    vault.is_down = False
    vault.now += LOOKED_UP_AGAIN_SECONDS + 1
    ring.refresh()
    assert ring.holder(OLD) == "assistant"


def test_keys_that_cannot_be_looked_up_at_the_start_are_an_error() -> None:
    vault = Vault("")
    vault.is_down = True
    with pytest.raises(OSError, match="does not answer"):
        vault.ring()


def test_a_bucket_lets_a_burst_through_then_the_rate_and_each_name_has_its_own() -> None:
    now = 0.0
    buckets = Buckets(60, 3, clock=lambda: now)
    assert [buckets.take("a") for _ in range(4)] == [0.0, 0.0, 0.0, 1.0]
    assert buckets.take("b") == 0.0
    now = 0.5
    assert buckets.take("a") == pytest.approx(0.5)
    now = 1.0
    assert buckets.take("a") == 0.0
    now = 1_000.0
    assert [buckets.take("a") for _ in range(4)][:3] == [0.0, 0.0, 0.0]


def test_whoever_comes_when_told_to_is_served() -> None:
    now = 0.0
    buckets = Buckets(7, 1, clock=lambda: now)
    buckets.take("a")
    for _ in range(50):
        now += buckets.take("a") + 1e-9
        assert buckets.take("a") == 0.0
