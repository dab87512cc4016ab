"""Whose workflows may be launched."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from harness.errors import HarnessError, NotTrusted
from harness.trust import is_trusted, require_trust, trust
from store.paths import Places


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places.of_environment({"MIDWATCH_HOME": str(tmp_path / "home")})


def project(path: Path, mark: str = ".midwatch") -> Path:
    (path / mark).mkdir(parents=True)
    (path / ".midwatch").mkdir(exist_ok=True)
    (path / ".midwatch" / "ship.toml").write_text("")
    return path


def test_nothing_is_trusted_until_it_is(places: Places, tmp_path: Path) -> None:
    shop = project(tmp_path / "shop")
    other = project(tmp_path / "other")
    assert not is_trusted(places, shop)
    with pytest.raises(NotTrusted, match=f"midwatch trust {shop}") as caught:
        require_trust(places, shop / ".midwatch" / "ship.toml")
    assert caught.value.project == shop

    assert trust(places, shop / ".midwatch") == shop

    assert is_trusted(places, shop)
    assert is_trusted(places, shop / ".midwatch" / "ship.toml")
    require_trust(places, shop / ".midwatch" / "ship.toml")
    assert not is_trusted(places, other)


def test_it_holds_for_the_next_process_and_only_this_user_can_read_it(places: Places, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        trust(places, project(tmp_path / "a shop\nwith a line break"))
    finally:
        os.umask(before)
    trust(places, project(tmp_path / "ümläut"))

    assert stat.S_IMODE(places.trusted.stat().st_mode) == 0o600
    assert len(places.trusted.read_text().splitlines()) == 2
    assert is_trusted(places, tmp_path / "a shop\nwith a line break")
    assert is_trusted(places, tmp_path / "ümläut")


def test_trusting_twice_is_trusting_once(places: Places, tmp_path: Path) -> None:
    shop = project(tmp_path / "shop")
    trust(places, shop)
    trust(places, shop)
    assert len(places.trusted.read_text().splitlines()) == 1


def test_a_link_that_points_elsewhere_tomorrow_is_not_trusted(places: Places, tmp_path: Path) -> None:
    shop, evil = project(tmp_path / "shop"), project(tmp_path / "evil")
    link = tmp_path / "link"
    link.symlink_to(shop)
    assert trust(places, link) == shop
    assert is_trusted(places, link)

    link.unlink()
    link.symlink_to(evil)

    assert not is_trusted(places, link)
    with pytest.raises(NotTrusted):
        require_trust(places, link / ".midwatch" / "ship.toml")


def test_a_trusted_folder_that_becomes_a_link_is_not_trusted(places: Places, tmp_path: Path) -> None:
    shop, evil = project(tmp_path / "shop"), project(tmp_path / "evil")
    trust(places, shop)
    shop.rename(tmp_path / "moved")
    shop.symlink_to(evil)
    assert not is_trusted(places, shop)


def test_a_file_that_lies_elsewhere_is_not_trusted_with_the_project(places: Places, tmp_path: Path) -> None:
    shop = project(tmp_path / "shop")
    trust(places, shop)
    (tmp_path / "loose.toml").write_text("")
    (shop / ".midwatch" / "loose.toml").symlink_to(tmp_path / "loose.toml")
    with pytest.raises(NotTrusted):
        require_trust(places, shop / ".midwatch" / "loose.toml")


def test_trust_does_not_reach_into_a_project_inside(places: Places, tmp_path: Path) -> None:
    shop = project(tmp_path / "shop", ".git")
    inner = project(shop / "vendor" / "inner")
    trust(places, shop)
    assert is_trusted(places, shop / "vendor")
    assert not is_trusted(places, inner)


def test_the_persons_own_are_trusted_wherever_they_lie(places: Places, tmp_path: Path) -> None:
    """Settings are often links into a folder under version control, which is a project by its `.git`."""
    dotfiles = project(tmp_path / "dotfiles", ".git")
    (dotfiles / "own.toml").write_text("")
    places.workflows.mkdir(parents=True)
    (places.workflows / "plain.toml").write_text("")
    (places.workflows / "own.toml").symlink_to(dotfiles / "own.toml")

    require_trust(places, places.workflows / "plain.toml")
    require_trust(places, dotfiles / "own.toml")
    with pytest.raises(NotTrusted):
        require_trust(places, dotfiles / ".midwatch" / "ship.toml")


def test_a_folder_in_no_project_cannot_be_trusted(places: Places, tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="lies in no project"):
        trust(places, tmp_path)
    assert not places.trusted.exists()


@pytest.mark.parametrize("content", [b"", b"\xff\n", b'"/half', b"[1]\n{}\n"])
def test_a_damaged_list_trusts_nothing_more(places: Places, tmp_path: Path, content: bytes) -> None:
    shop = project(tmp_path / "shop")
    places.trusted.parent.mkdir(parents=True)
    places.trusted.write_bytes(content)
    assert not is_trusted(places, shop)
    trust(places, shop)
    assert is_trusted(places, shop)


def test_a_list_that_is_a_link_is_not_believed(places: Places, tmp_path: Path) -> None:
    shop = project(tmp_path / "shop")
    (tmp_path / "planted").write_text(f'"{shop}"\n')
    places.trusted.parent.mkdir(parents=True)
    places.trusted.symlink_to(tmp_path / "planted")
    assert not is_trusted(places, shop)
