"""Finds a Chromium or Chrome for the browser tests; run as a script, it installs the system's package if it may."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
)


def find() -> str | None:
    """The browser's path; the variable CHROMIUM names one that is elsewhere."""
    if named := os.environ.get("CHROMIUM"):
        return named
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    return found or next((path for path in PLACES if Path(path).exists()), None)


def _install() -> None:
    """Debian's and Ubuntu's package, as root or by sudo where it asks for no password."""
    if not shutil.which("apt-get"):
        return
    root = [] if getattr(os, "geteuid", lambda: 1)() == 0 else ["sudo", "-n"]
    if root and not shutil.which("sudo"):
        return
    for step in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "chromium"]):
        if subprocess.run([*root, "apt-get", *step], stdout=subprocess.DEVNULL, check=False).returncode:
            return


def main() -> int:
    if not find():
        print("Installing Chromium for the browser tests ...", flush=True)
        _install()
    if not find():
        print(
            "The browser tests need Chromium or Chrome: install it, or name it by CHROMIUM=/path/to/it", file=sys.stderr
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
