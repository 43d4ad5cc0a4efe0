"""File systems on which processes cannot share a memory are refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.faults.disk import RemoteVFS

from everfact.errors import StoreError
from everfact.stores.sqlite import SQLiteStore
from everfact.stores.sqlite.connection import require_local

_LOCAL = "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw"


def mounts(folder: Path, *lines: str) -> Path:
    """A table of mounts as Linux shows it."""
    path = folder / "mountinfo"
    path.write_text("\n".join((_LOCAL, *lines)) + "\n", encoding="utf-8")
    return path


async def test_a_file_system_without_shared_memory_is_refused(tmp_path: Path) -> None:
    remote = RemoteVFS("remote")
    path = tmp_path / "memory.db"
    with pytest.raises(StoreError, match="file system") as caught:
        await SQLiteStore.open(path, vfs="remote")
    assert str(path) in str(caught.value)
    assert "local disk" in caught.value.hint
    assert path.read_bytes() == b""
    remote.unregister()


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "9p", "fuse.sshfs"])
def test_a_network_mount_is_refused(tmp_path: Path, kind: str) -> None:
    table = mounts(tmp_path, f"30 22 0:40 / /far rw,relatime shared:5 master:1 - {kind} server:/export rw,vers=4")
    with pytest.raises(StoreError, match=kind) as caught:
        require_local(Path("/far/away/memory.db"), mounts=table)
    assert "local disk" in caught.value.hint
    require_local(Path("/farther/memory.db"), mounts=table)


@pytest.mark.parametrize("kind", ["ext4", "overlay", "tmpfs", "btrfs", "fuseblk"])
def test_a_local_mount_is_taken(tmp_path: Path, kind: str) -> None:
    require_local(Path("/near/memory.db"), mounts=mounts(tmp_path, f"30 22 0:40 / /near rw - {kind} none rw"))


def test_the_mount_nearest_to_the_file_counts(tmp_path: Path) -> None:
    table = mounts(
        tmp_path,
        "30 22 0:40 / /home rw - nfs4 server:/home rw",
        "31 30 0:41 / /home/ada/local rw - ext4 /dev/vdb rw",
        "32 31 0:42 / /home/ada/local/far rw - nfs4 server:/far rw",
    )
    require_local(Path("/home/ada/local/memory.db"), mounts=table)
    for far in ("/home/ada/memory.db", "/home/ada/local/far/memory.db"):
        with pytest.raises(StoreError, match="nfs4"):
            require_local(Path(far), mounts=table)


def test_of_two_mounts_at_one_place_the_later_counts(tmp_path: Path) -> None:
    near, far = "30 22 0:40 / /data rw - ext4 /dev/vdb rw", "31 22 0:41 / /data rw - nfs4 server:/data rw"
    require_local(Path("/data/memory.db"), mounts=mounts(tmp_path, far, near))
    with pytest.raises(StoreError, match="nfs4"):
        require_local(Path("/data/memory.db"), mounts=mounts(tmp_path, near, far))


@pytest.mark.parametrize(
    ("shown", "folder"),
    [
        (r"/my\040data", "/my data"),
        (r"/tab\011here", "/tab\there"),
        (r"/back\134slash", "/back\\slash"),
        ("/für", "/für"),
    ],
)
def test_the_names_of_mounts_are_read_as_linux_writes_them(tmp_path: Path, shown: str, folder: str) -> None:
    table = mounts(tmp_path, f"30 22 0:40 / {shown} rw - nfs4 server:/export rw")
    with pytest.raises(StoreError, match="nfs4"):
        require_local(Path(folder) / "memory.db", mounts=table)


def test_a_mount_whose_name_is_no_text_does_not_matter(tmp_path: Path) -> None:
    table = tmp_path / "mountinfo"
    table.write_bytes(b"22 1 254:0 / / rw - ext4 /dev/vda rw\n30 22 0:40 / /\xff\xfe rw - nfs4 server:/export rw\n")
    require_local(Path("/memory.db"), mounts=table)


def test_without_a_table_of_mounts_nothing_is_refused(tmp_path: Path) -> None:
    require_local(Path("/memory.db"), mounts=tmp_path / "none")
