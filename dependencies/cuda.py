"""Print the option of pip that installs the libraries of CUDA, if the installed build of PyTorch lacks them."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, distribution, requires


def lacks_cuda() -> bool:
    """Return whether PyTorch asks for a library of CUDA that is not installed."""
    for requirement in requires("torch") or ():
        name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
        if name.startswith(("nvidia", "cuda", "triton")) and "extra ==" not in requirement:
            try:
                distribution(name)
            except PackageNotFoundError:
                return True
    return False


if __name__ == "__main__":
    print("-r dependencies/locks/cuda.txt" if lacks_cuda() else "")
