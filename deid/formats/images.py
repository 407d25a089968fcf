"""Embedded pictures, where the rules of a source keep them."""

from __future__ import annotations

import io

from PIL import Image

MOST_PIXELS = 50_000_000


def without_metadata(raw: bytes) -> bytes | None:
    """Return a picture as PNG, with its pixels only; None for what is no picture of pixels, or a large one."""
    try:
        with Image.open(io.BytesIO(raw), formats=("PNG", "JPEG", "GIF", "BMP", "TIFF")) as image:
            if image.width * image.height > MOST_PIXELS:
                return None
            pixels = image.convert("RGBA" if "A" in image.getbands() else "RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    file = io.BytesIO()
    pixels.info.clear()
    pixels.save(file, "PNG")
    return file.getvalue()
