"""Secret: accepted values, reading and writing of versions, and the parts displayed."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.config import keys
from deid.config.settings import Settings
from deid.domain.errors import SettingsError
from tests.conftest import SECRET

OTHER = bytes(range(100, 132)).hex()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "holds no secret"),
        ("  \n# nothing yet\n", "holds no secret"),
        ("motdepasse", "is not hexadecimal"),
        ("5e05", "is shorter than 32 bytes"),
        ("1:", "is shorter than 32 bytes"),
        ("5e" * 32, "is not random"),
        ("0123456789abcdef" * 4, "is not random"),
        ("00112233445566778899aabbccddee" * 3, "is not random"),
        (f"1:{SECRET}\n{OTHER}", "an entry is not version:hexadecimal"),
        (f"0:{SECRET}", "an entry is not version:hexadecimal"),
        (f"one:{SECRET}", "is not hexadecimal"),
        (f"1:{SECRET},1:{OTHER}", "one version, or one secret, twice"),
        (f"1:{SECRET},2:{SECRET}", "one version, or one secret, twice"),
    ],
)
def test_what_is_no_secret_is_refused_and_not_quoted(text: str, told: str) -> None:
    with pytest.raises(SettingsError) as refusal:
        keys.parse_keyring(text, where="NOCTURNE_SECRET")
    assert told in str(refusal.value)
    assert not any(entry in str(refusal.value) for entry in (SECRET, OTHER, "motdepasse", "5e5e"))


def test_one_secret_alone_is_of_the_version_that_the_settings_say() -> None:
    assert keys.parse_keyring(SECRET, where="x").current.version == 1
    assert keys.parse_keyring(SECRET, where="x", lone_version=7).current.version == 7


def test_the_last_version_is_in_force_whatever_the_order() -> None:
    ring = keys.parse_keyring(f"3:{OTHER} # of March\n\n1:{SECRET}", where="x")
    assert [key.version for key in ring.keys] == [1, 3]
    assert ring.current.secret.hex() == OTHER
    assert ring.of(1).secret.hex() == SECRET
    with pytest.raises(SettingsError, match="version 2 of the secret is not held, only 1, 3"):
        ring.of(2)


def test_versions_that_contradict_the_settings_are_refused() -> None:
    assert keys.parse_keyring(f"1:{SECRET},2:{OTHER}", where="x", lone_version=2).current.version == 2
    with pytest.raises(SettingsError, match="NOCTURNE_KEY_VERSION is 1, but the last version of x is 2"):
        keys.parse_keyring(f"1:{SECRET},2:{OTHER}", where="x", lone_version=1)


def test_a_key_shows_its_fingerprint_and_nothing_else() -> None:
    key = keys.parse_keyring(SECRET, where="x").current
    assert SECRET not in repr(key)
    assert str(key.secret) not in repr(key)
    assert len(key.fingerprint) == 16
    assert (
        key.fingerprint
        == keys.Key(9, key.secret).fingerprint
        != keys.parse_keyring(OTHER, where="x").current.fingerprint
    )


@given(st.lists(st.integers(1, 10**9 - 1), min_size=1, max_size=5, unique=True))
def test_what_is_written_is_read_again(versions: list[int]) -> None:
    made = [keys.make_key(version) for version in versions]
    assert keys.parse_keyring(keys.format_keys(made), where="x").keys == tuple(
        sorted(made, key=lambda key: key.version)
    )


def test_a_file_is_its_owners_and_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    keys.write_keyring(path, [keys.make_key(1), last := keys.make_key(2)])
    keys.write_keyring(path, [last])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text() == f"2:{last.secret.hex()}\n"
    path.chmod(0o640)
    keys.write_keyring(path, [last])
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [one.name for one in tmp_path.iterdir()] == ["secret"]


def test_what_the_file_held_is_overwritten(tmp_path: Path) -> None:
    """A second name of the old file shows what is left of it on the disk."""
    path = tmp_path / "secret"
    keys.write_keyring(path, [keys.make_key(1)])
    (tmp_path / "trace").hardlink_to(path)
    keys.write_keyring(path, [keys.make_key(2)])
    assert set((tmp_path / "trace").read_bytes()) == {0}


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="No such file or directory"):
        keys.write_keyring(tmp_path / "nowhere" / "secret", [keys.make_key(1)])


def test_the_secret_may_be_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret").write_text(f"1:{SECRET}\n2:{OTHER}\n")
    monkeypatch.setenv("NOCTURNE_SECRET_FILE", str(tmp_path / "secret"))
    assert Settings().key.hex() == OTHER
    monkeypatch.setenv("NOCTURNE_SECRET", SECRET)
    with pytest.raises(SettingsError, match="both NOCTURNE_SECRET and NOCTURNE_SECRET_FILE"):
        Settings().keyring  # noqa: B018 - reading it is what is refused


@pytest.mark.parametrize("content", [None, "clé".encode("latin-1")])
def test_a_file_that_cannot_be_read_is_told(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if content is not None:
        (tmp_path / "secret").write_bytes(content)
    monkeypatch.setenv("NOCTURNE_SECRET_FILE", str(tmp_path / "secret"))
    with pytest.raises(SettingsError, match="NOCTURNE_SECRET_FILE"):
        Settings().keyring  # noqa: B018 - reading it is what is refused
